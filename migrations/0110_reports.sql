-- Ratings that customers gave when a flow asked for one; a run asks once.
create table ratings (
  workspace_id id not null,
  run_id id not null,
  conversation_id id not null,
  -- Who replied last, or had the conversation.
  agent_id id,
  rating smallint not null,
  comment text,
  created_at moment not null,
  primary key (workspace_id, run_id),
  foreign key (workspace_id, conversation_id) references conversations (workspace_id, id) on delete cascade,
  constraint ratings_rating_check check (rating between 1 and 5)
);
create index ratings_created on ratings (workspace_id, created_at);
create index ratings_conversation on ratings (workspace_id, conversation_id);

-- The time zone whose days are counted, and the days that are stored: none, or all from the first to the last.
create table report_states (
  workspace_id id primary key references workspaces (id),
  time_zone text not null,
  first_day date,
  last_day date,
  -- The day of the oldest message or conversation; null until it was looked for.
  begins_on date,
  computed_at moment
);

-- What happened in each hour of a day on the clocks of that zone. Only counts.
create table report_hours (
  workspace_id id not null references workspaces (id),
  day date not null,
  hour smallint not null,
  channel text not null,
  kind text not null,
  count integer not null,
  primary key (workspace_id, day, hour, channel, kind)
);

-- How long things took, and what people did, by day. Person '': nobody of the team, or a program.
create table report_times (
  workspace_id id not null references workspaces (id),
  day date not null,
  channel text not null,
  person text collate "C" not null,
  -- That the conversation had when the day was counted; '': none.
  team text collate "C" not null,
  kind text not null,
  bucket smallint not null,
  count integer not null,
  primary key (workspace_id, day, channel, person, team, kind, bucket)
);

-- What became of a broadcast's messages.
create table report_broadcasts (
  workspace_id id not null,
  broadcast_id id not null,
  delivered integer not null,
  read integer not null,
  answered integer not null,
  computed_at moment not null,
  primary key (workspace_id, broadcast_id),
  foreign key (workspace_id, broadcast_id) references broadcasts (workspace_id, id) on delete cascade
);

-- Hours whose messages changed after they were over; their days are computed again. A transaction adds an hour once and
-- waits for no other.
create table report_late_hours (
  workspace_id id not null,
  at moment not null
);
create index report_late_hours_at on report_late_hours (workspace_id, at);

-- What was waited for until the next reply and the next closing begins elsewhere now, so their hours change as well. They
-- are looked for in the next 200 messages.
create function note_late_message() returns trigger language plpgsql as $$
begin
  insert into report_late_hours
  select distinct new.workspace_id, date_trunc('hour', t.at) from (
    select new.created_at::timestamptz as at
    union all
    select unnest(array[min(created_at) filter (where is_reply and is_person),
      min(created_at) filter (where is_reply and not is_person), min(created_at) filter (where is_closing)])
    from (
      select m.created_at::timestamptz,
        m.sender_type in ('agent', 'automation') and m.status <> 'failed' and m.metadata ->> 'broadcastId' is null
          and m.metadata ->> 'forwardOf' is null as is_reply,
        (m.sender_type = 'agent' or m.sender_id like 'api:%') and m.sender_id <> all (array(
          select account_id::text from memberships where workspace_id = new.workspace_id and role = 'ai')) as is_person,
        m.sender_type = 'system' and m.metadata ->> 'event' = 'closed' as is_closing
      from messages m
      where m.workspace_id = new.workspace_id and m.conversation_id = new.conversation_id and m.id > new.id
      order by m.id limit 200
    ) later
  ) t
  where t.at < now() - interval '1 hour' and not exists (
    select from report_late_hours l where l.workspace_id = new.workspace_id and l.at = date_trunc('hour', t.at)
      and l.xmin = pg_current_xact_id()::xid);
  return null;
end $$;

-- Reports store a day two hours after it is over (SETTLE_MS in domain/reports/), so what is younger is not late.
create trigger messages_late_insert after insert on messages
  for each row when (new.created_at < now() - interval '1 hour') execute function note_late_message();
create trigger messages_late_failure after update of status on messages
  for each row when (old.status is distinct from new.status and 'failed' in (old.status, new.status)
    and new.created_at < now() - interval '1 hour') execute function note_late_message();
create trigger messages_late_move after update of conversation_id on messages
  for each row when (old.conversation_id is distinct from new.conversation_id
    and new.created_at < now() - interval '1 hour') execute function note_late_message();
