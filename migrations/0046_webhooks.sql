-- Webhooks: where a workspace's events are sent, what is sent there, and each attempt.
create table webhook_endpoints (
  workspace_id id not null references workspaces (id),
  id id not null,
  name text not null,
  url text not null,
  status text not null default 'enabled' check (status in ('enabled', 'paused', 'disabled')),
  status_reason text check (status_reason in ('failing', 'gone', 'admin', 'url_refused', 'scope_lost')),
  -- Null: all types, future ones too.
  event_types text[],
  filter jsonb not null default '{}',
  payload text not null check (payload in ('thin', 'full')),
  ordering text not null check (ordering in ('conversation', 'none', 'strict')),
  max_in_flight integer not null,
  header_names text[] not null default '{}',
  -- Sealed JSON: the signing secrets and the values of the headers.
  secrets bytea not null,
  secret_prefix text not null,
  previous_secret_until moment,
  external_ref text,
  created_by text not null,
  created_at moment not null,
  updated_at moment not null,
  -- Its deliveries are deleted in batches, and then this row.
  deleted_at moment,
  -- While it is set, nothing is sent: what was pending is being dropped in batches.
  skipped_at moment,
  -- The last event that was sent here, and the first that was not because the endpoint was disabled.
  last_seq bigint,
  missed_seq bigint,
  -- Failures since the last success. The circuit is open while probe_at is set.
  failures integer not null default 0,
  failing_since moment,
  -- The delivery that failed first, and whether others failed too.
  failing_id id,
  is_failing_widely boolean not null default false,
  probe_at moment,
  probes integer not null default 0,
  -- Concurrent requests while the endpoint recovers.
  places integer not null default 4,
  last_success_at moment,
  -- Mails sent about this failure.
  warnings integer not null default 0,
  primary key (workspace_id, id)
);
create unique index webhook_endpoints_ref on webhook_endpoints (workspace_id, external_ref) where deleted_at is null;

create table webhook_deliveries (
  workspace_id id not null,
  id id not null,
  endpoint_id id not null,
  event_id id not null,
  -- Of the event in the feed; null for tests, which are not in it.
  seq bigint,
  previous_seq bigint,
  type text not null,
  conversation_id id,
  kind text not null check (kind in ('live', 'replay', 'test')),
  replay_id id,
  is_full boolean not null,
  -- The test's own event, as it was sent.
  body text,
  -- Deliveries with the same key go one after the other. A held one waits for those before it.
  order_key text,
  state text not null check (state in ('pending', 'held', 'sending', 'delivered', 'failed', 'dropped')),
  dropped_reason text check (dropped_reason in ('skipped', 'expired')),
  -- All attempts, and those that count towards the limit.
  attempts integer not null default 0,
  tries integer not null default 0,
  not_before moment not null,
  -- From then on, it no longer holds up those behind it.
  aside_at moment,
  claimed_by text,
  claimed_at moment,
  created_at moment not null,
  first_at moment,
  last_at moment,
  last_status integer,
  last_error text,
  duration_ms integer,
  primary key (workspace_id, id),
  foreign key (workspace_id, endpoint_id) references webhook_endpoints
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create unique index webhook_deliveries_live on webhook_deliveries (workspace_id, endpoint_id, seq) where kind = 'live';
create index webhook_deliveries_due on webhook_deliveries (workspace_id, endpoint_id, not_before, id)
  where state in ('pending', 'held');
create index webhook_deliveries_open on webhook_deliveries (workspace_id, endpoint_id, order_key, id)
  where state in ('pending', 'held', 'sending') and order_key is not null;
create index webhook_deliveries_sending on webhook_deliveries (workspace_id, endpoint_id, claimed_at) where state = 'sending';
create index webhook_deliveries_listed on webhook_deliveries (workspace_id, endpoint_id, id);
create index webhook_deliveries_failed on webhook_deliveries (workspace_id, endpoint_id, id) where state = 'failed';

create table webhook_attempts (
  workspace_id id not null,
  delivery_id id not null,
  number integer not null,
  at moment not null,
  duration_ms integer not null,
  status integer,
  error_code text,
  error text,
  is_counted boolean not null,
  response_headers jsonb,
  response_body text,
  primary key (workspace_id, delivery_id, number),
  foreign key (workspace_id, delivery_id) references webhook_deliveries on delete cascade
);
