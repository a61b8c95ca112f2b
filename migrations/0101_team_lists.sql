-- Outside of a transaction.

-- The lists of teams, in the inbox's order.
create index concurrently if not exists conversations_team on conversations (workspace_id, team_id, status,
  ((case when updated_at <= held_until then held_at else updated_at end)::timestamptz) desc, id desc)
  where team_id is not null;

-- What has to be answered, the first first.
create index concurrently if not exists conversations_due on conversations (workspace_id, answer_due_at, id)
  where answer_due_at is not null;

alter table conversations validate constraint conversations_team_fkey;

alter table notifications validate constraint notifications_kind_check;
