-- What could not be stored is tried again by itself, and is shown to the admins until somebody deals with it.
--   replay       how to read raw to try again: an item of a webhook as JSON, or a whole mail; null: nothing to try
--   error        why the last try failed
--   next_try_at  when it is tried next; null with replay null
--   shown_at     when an admin first had it on the screen: nothing is deleted before that
alter table webhook_leftovers
  add column replay text check (replay in ('item', 'mail')),
  add column error text,
  add column tries integer not null default 0,
  add column next_try_at moment,
  add column shown_at moment;

-- What earlier versions put aside is tried too.
update webhook_leftovers l set replay = case a.channel when 'email' then 'mail' else 'item' end, next_try_at = now()
from channel_accounts a
where l.reason in ('failed', 'edit', 'revoke') and a.workspace_id = l.workspace_id and a.id = l.channel_account_id
  and (a.channel = 'email' or l.raw like '{"type":%');

-- Reactions, edits and deletions of messages that we do not have: they may overtake the message. Tried again when one of
-- that id is stored, and by a job; kept for a while, as parked_statuses are.
create table parked_alterations (
  workspace_id id not null,
  channel_account_id id not null,
  target_id text collate "C" not null,
  hash bytea not null,
  alteration jsonb not null,
  created_at moment not null,
  primary key (workspace_id, channel_account_id, target_id, hash),
  foreign key (workspace_id, channel_account_id) references channel_accounts
);
create index parked_alterations_created on parked_alterations (created_at);
