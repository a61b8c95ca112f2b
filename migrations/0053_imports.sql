-- Imports of archives, and which row of a source became which of ours.
create table imports (
  workspace_id id not null references workspaces (id),
  id id not null,
  source text not null,
  state text not null default 'running' check (state in ('running', 'completed', 'undone')),
  counts jsonb not null default '{}',
  created_by text not null,
  created_at moment not null,
  ended_at moment,
  primary key (workspace_id, id)
);
-- A repeated run goes on with the import that made the rows.
create table imported (
  workspace_id id not null,
  source text not null,
  kind text not null,
  -- A hash of the source's id, which may be an address.
  source_key text collate "C" not null,
  target_id id not null,
  -- Of the row as it was last read.
  hash text not null,
  import_id id not null,
  -- False: it was here already.
  is_created boolean not null,
  primary key (workspace_id, source, kind, source_key),
  foreign key (workspace_id, import_id) references imports (workspace_id, id)
);
create index imported_target on imported (workspace_id, import_id, kind, target_id);
