-- Business hours, and HTTP actions with the calls that runs make of them.

create table business_hours (
  workspace_id id not null references workspaces,
  id id not null,
  name text not null,
  -- Folded, so that two names that look alike are the same.
  name_key text not null,
  -- IANA.
  time_zone text not null,
  weekly jsonb not null,
  exceptions jsonb not null,
  is_default boolean not null default false,
  created_at moment not null,
  primary key (workspace_id, id),
  unique (workspace_id, name_key)
);
create unique index business_hours_default on business_hours (workspace_id) where is_default;

create table actions (
  workspace_id id not null references workspaces,
  id id not null,
  name text not null,
  name_key text not null,
  method text not null check (method in ('GET', 'POST', 'PUT', 'PATCH', 'DELETE')),
  url text not null,
  -- The names of the headers; their values are sealed together.
  header_names text[] not null default '{}',
  headers bytea,
  parameters jsonb not null,
  keep jsonb not null,
  timeout_ms integer not null,
  is_repeatable boolean not null,
  risk text not null check (risk in ('read', 'write')),
  needs text not null check (needs in ('none', 'known', 'verified')),
  confirm text not null check (confirm in ('none', 'customer', 'person')),
  created_at moment not null,
  primary key (workspace_id, id),
  unique (workspace_id, name_key)
);

-- Calls that runs wait for, in the order in which they are made. The host decides whose turn it is.
create table action_calls (
  workspace_id id not null,
  id id not null,
  conversation_id id not null,
  run_id id not null,
  -- Of the run's wait; with the run's id it is the Idempotency-Key.
  token integer not null,
  action_id id not null,
  -- Empty if the action was deleted before the call was stored.
  host text not null,
  -- Cleared when the call ends: they may be private.
  parameters jsonb,
  state text not null default 'pending' check (state in ('pending', 'calling', 'ended')),
  tries integer not null default 0,
  not_before moment not null,
  claimed_by text,
  claimed_at moment,
  outcome text check (outcome in ('done', 'notFound', 'refused', 'failed', 'unknown')),
  -- Of the response, if there was one.
  status integer,
  kept jsonb,
  problem jsonb,
  created_at moment not null,
  ended_at moment,
  primary key (workspace_id, id),
  unique (workspace_id, run_id, token),
  foreign key (workspace_id, conversation_id) references conversations on delete cascade
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
create index action_calls_pending on action_calls (workspace_id, host, not_before) where state = 'pending';
create index action_calls_calling on action_calls (claimed_at) where state = 'calling';
create index action_calls_ended on action_calls (ended_at) where state = 'ended';
