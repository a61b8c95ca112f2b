-- Merges of two contacts that somebody of the team decided on: what undoing them needs.
create table contact_merges (
  workspace_id id not null references workspaces (id),
  id id not null,
  -- Who has everything now. Follows later merges.
  kept_id id not null,
  -- Who is no longer there.
  gone_id id not null,
  -- The rows of both before, and the kept one's after it.
  kept_before jsonb not null,
  gone jsonb not null,
  kept_after jsonb,
  -- Which rows moved, by table.
  moved jsonb not null,
  -- As recordedActor gives it.
  actor text not null,
  created_at moment not null,
  primary key (workspace_id, id)
);
create index contact_merges_kept on contact_merges (workspace_id, kept_id);
create index contact_merges_age on contact_merges (created_at);
