-- What goes below emails: of a person in a workspace, and of a mailbox for those who have none. With variables.
create table signatures (
  workspace_id id not null references workspaces (id),
  -- An account, or a channel account.
  owner_id id not null,
  body text not null,
  updated_at moment not null,
  primary key (workspace_id, owner_id)
);
