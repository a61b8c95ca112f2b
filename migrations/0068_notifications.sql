-- How a person is notified, in all of their workspaces; null parts are the defaults of the program.
create table notification_settings (
  account_id id primary key references accounts (id) on delete cascade,
  settings jsonb not null,
  paused_until moment,
  updated_at moment not null
);

-- The key pair that push services know this installation by. The private one is encrypted.
create table push_keys (
  is_only boolean primary key default true check (is_only),
  public_key text not null,
  private_key bytea not null,
  created_at moment not null
);

-- Browsers that get desktop notifications, for as long as their sign-in lasts.
create table push_subscriptions (
  id id primary key,
  account_id id not null references accounts (id) on delete cascade,
  session_hash bytea not null references sessions (hash) on delete cascade,
  endpoint text not null unique,
  -- Of the endpoint: a push service that hangs gets only so many requests at once.
  host text not null,
  public_key text not null,
  auth_secret text not null,
  created_at moment not null
);
create index push_subscriptions_account on push_subscriptions (account_id);
create index push_subscriptions_session on push_subscriptions (session_hash);

-- What happened and may concern somebody: added by the relay as it passes events on, removed once it is decided who is
-- notified.
create table notification_inputs (
  workspace_id id not null,
  id bigint not null generated always as identity,
  kind text not null check (kind in ('assigned', 'note', 'message', 'unassigned')),
  conversation_id id not null,
  subject_id id,
  -- Who is not notified of what they did themselves.
  actor_id id,
  created_at moment not null,
  primary key (workspace_id, id)
);
create index notification_inputs_order on notification_inputs (id);

create table notifications (
  workspace_id id not null,
  id id not null,
  account_id id not null references accounts (id) on delete cascade,
  kind text not null check (kind in ('assigned', 'mentioned', 'message', 'unassigned')),
  conversation_id id not null,
  -- The message or note.
  subject_id id,
  actor_id id,
  -- Of how many conversations at once; this one is the first.
  conversation_count integer not null default 1,
  -- When it becomes part of an email if nobody has reacted; null once that is decided.
  email_due_at moment,
  created_at moment not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, conversation_id) references conversations (workspace_id, id) on delete cascade
);
create index notifications_conversation on notifications (workspace_id, conversation_id, id desc);
create index notifications_due on notifications (email_due_at) where email_due_at is not null;
create index notifications_created on notifications (created_at);

-- Notifications on their way to a browser.
create table push_deliveries (
  workspace_id id not null,
  notification_id id not null,
  subscription_id id not null references push_subscriptions (id) on delete cascade,
  host text not null,
  tries integer not null default 0,
  not_before moment not null,
  primary key (workspace_id, notification_id, subscription_id),
  foreign key (workspace_id, notification_id) references notifications (workspace_id, id) on delete cascade
);
create index push_deliveries_due on push_deliveries (not_before);
create index push_deliveries_subscription on push_deliveries (subscription_id);
