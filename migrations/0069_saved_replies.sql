-- Replies that people keep, with what is done after them. Without an owner they are the team's.
create table saved_replies (
  workspace_id id not null references workspaces (id),
  id id not null,
  owner_id id references accounts (id),
  name text not null,
  shortcut text,
  folder text,
  body text not null,
  channels text[] not null,
  tag_ids text[] not null,
  assignee_id text,
  closes boolean not null,
  use_count integer not null default 0,
  last_used_at moment,
  created_at moment not null,
  updated_at moment not null,
  primary key (workspace_id, id)
);

create unique index saved_replies_shortcut on saved_replies (workspace_id, coalesce(owner_id, ''), shortcut)
  where shortcut is not null;
