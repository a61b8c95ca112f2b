-- Outside of a transaction.

-- The inbox's order: by activity, without broadcasts.
create index concurrently if not exists conversations_inbox on conversations (workspace_id, status, channel,
  ((case when updated_at <= held_until then held_at else updated_at end)::timestamptz) desc, id desc);

create index concurrently if not exists conversations_inbox_agent on conversations (workspace_id, agent_id, status, channel,
  ((case when updated_at <= held_until then held_at else updated_at end)::timestamptz) desc, id desc) where agent_id is not null;

create index concurrently if not exists conversations_inbox_unassigned on conversations (workspace_id, channel,
  ((case when updated_at <= held_until then held_at else updated_at end)::timestamptz) desc, id desc)
  where status = 'open' and agent_id is null;

create index concurrently if not exists conversations_waiting on conversations (workspace_id, waiting_since, id)
  where status = 'open' and waiting_since is not null;
