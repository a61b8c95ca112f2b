-- Exports of a workspace: what was asked for, and the files that it became. Their contents are in the file store.
create table exports (
  workspace_id id not null references workspaces (id),
  id id not null unique,
  status text not null default 'running' check (status in ('running', 'completed', 'failed', 'expired')),
  -- The person it is about; null for one of the workspace.
  contact_id id,
  resources text[] not null,
  created_after moment,
  include_files boolean not null,
  -- Name, resource, rows, bytes, sha256 and key of each file.
  files jsonb not null default '[]',
  problem text,
  tries integer not null default 0,
  created_by text not null,
  created_at moment not null,
  completed_at moment,
  primary key (workspace_id, id)
);
create unique index exports_running on exports (workspace_id) where status = 'running' and contact_id is null;
create unique index exports_running_contact on exports (workspace_id, contact_id) where status = 'running';
create index exports_contact on exports (workspace_id, contact_id) where contact_id is not null;
create index exports_completed on exports (completed_at) where status = 'completed';
