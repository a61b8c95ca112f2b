-- Outside of a transaction.
create index concurrently if not exists waits_ended on waits (workspace_id, ended_at) where ended_at is not null;
create index concurrently if not exists waits_uncounted on waits (ended_at)
  where ended_at is not null and counted_seconds is null;
-- Nothing asks for it.
drop index concurrently if exists waits_started;
