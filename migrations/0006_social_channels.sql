-- Telegram, Messenger and SMS: what is known of a customer on one bot, page or number, beside who they are.

-- name is what the provider last called them, so that a new name of theirs is followed only where nobody here gave the
-- contact another one. profile_at is when a job last went to ask for their name and picture. unreachable_since: they
-- blocked us or wrote STOP, and until they come back nothing is sent to them from there.
create table channel_people (
  workspace_id id not null references workspaces,
  channel_account_id id not null,
  external_id text collate "C" not null,
  name text,
  profile_at moment,
  unreachable_since moment,
  unreachable_reason text check (unreachable_reason in ('blocked', 'opted_out')),
  created_at moment not null,
  primary key (workspace_id, channel_account_id, external_id),
  foreign key (workspace_id, channel_account_id) references channel_accounts on delete cascade,
  check ((unreachable_since is null) = (unreachable_reason is null))
);
