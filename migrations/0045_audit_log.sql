-- Who changed what in the workspace: rows are only added, and deleted when they are old. See
-- docs/decisions/0050-audit-log.md.
create table audit_log (
  workspace_id id not null references workspaces (id),
  id id not null,
  action text not null,
  -- As recordedActor writes it, or unknown.
  actor text not null,
  target_type text,
  target_id text,
  target_name text,
  address text,
  user_agent text,
  request_id text,
  changes jsonb not null,
  created_at moment not null,
  primary key (workspace_id, id)
);
create index audit_log_actor on audit_log (workspace_id, actor, id desc);
create index audit_log_action on audit_log (workspace_id, action, id desc);
create index audit_log_created on audit_log (created_at);
