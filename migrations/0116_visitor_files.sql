-- Files that visitors of a website upload, for their limits: who, from where, and how large. Named by the page, so that
-- an upload whose response was lost is the same upload when it is repeated.
create table visitor_files (
  workspace_id id not null references workspaces (id),
  visitor_id id not null,
  client_id text collate "C" not null,
  attachment_id id,
  size bigint not null,
  address text not null,
  created_at moment not null,
  primary key (workspace_id, visitor_id, client_id)
);
create index visitor_files_workspace on visitor_files (workspace_id, created_at);
create index visitor_files_created on visitor_files (created_at);
