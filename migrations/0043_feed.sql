-- The public feed of events. The relay copies public events from the table events into it, numbered 1, 2, 3 … in each
-- workspace, without a hole.
create table feed_heads (
  workspace_id id primary key references workspaces (id),
  -- The last number, and the last one that is no longer kept.
  seq bigint not null default 0,
  swept_to bigint not null default 0
) with (fillfactor = 50);

create table feed (
  workspace_id id not null references feed_heads (workspace_id),
  seq bigint not null,
  -- Contains the number; see domain/feed/event-id.ts.
  id id not null,
  type text not null,
  channel text,
  conversation_id id,
  contact_id id,
  -- As recordedActor writes it.
  actor text,
  request_id text,
  data jsonb not null,
  -- What it is about, as the API showed it then; only where something asks for it.
  object jsonb,
  occurred_at moment not null,
  -- Never decreases, so that what is old is always the beginning.
  numbered_at moment not null,
  primary key (workspace_id, seq)
);

-- Where the relay is in the table events.
create table feed_relay (
  is_only boolean primary key default true check (is_only),
  tx bigint not null,
  id bigint not null,
  -- The greatest id that was passed on: an event with a greater one never was.
  max_id bigint not null,
  -- Of event_epoch, when the relay last checked where it is; null before its first start.
  epoch bigint,
  numbered_at moment not null
) with (fillfactor = 50);

-- The feed begins with what happens from now on.
insert into feed_relay (tx, id, max_id, numbered_at)
select pg_current_xact_id()::text::bigint, 0, coalesce(max(id), 0), now() from events;
