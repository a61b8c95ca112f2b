-- Flows: their definitions, their runs, and who may speak in a conversation.

-- Whether anything may run here: only then does a customer's message leave an input for automation. The revision changes
-- with everything that decides what starts (a flow goes live, stops, moves), so that processes know when to read again.
alter table workspaces add column is_automated boolean not null default false;
alter table workspaces add column automation_revision integer not null default 0;

create table flows (
  workspace_id id not null references workspaces,
  id id not null,
  name text not null,
  -- Folded, so that two names that look alike are the same.
  name_key text not null,
  kind text not null check (kind in ('dialog', 'background')),
  state text not null default 'draft' check (state in ('draft', 'live', 'paused', 'archived')),
  -- Of the version that runs, or would run if the flow weren't paused. Null until it is published.
  live_version integer,
  -- Dialogs are tried in this order.
  position integer not null,
  -- Not jsonb, which would change the order of keys: people read it.
  draft json not null,
  -- Raised by each change to the draft, so that two editors don't overwrite each other.
  draft_revision integer not null default 1,
  -- The revision that the live version was made from.
  published_revision integer,
  updated_by text not null,
  created_at moment not null,
  updated_at moment not null,
  primary key (workspace_id, id)
);
create unique index flows_name on flows (workspace_id, name_key) where state <> 'archived';
create index flows_position on flows (workspace_id, position, id);

-- Never changed: a run ends on the version that it started on.
create table flow_versions (
  workspace_id id not null,
  flow_id id not null,
  version integer not null,
  definition json not null,
  hash bytea not null,
  note text,
  -- Checks and tests that failed when somebody published it all the same.
  warnings jsonb,
  published_by text not null,
  published_at moment not null,
  primary key (workspace_id, flow_id, version),
  foreign key (workspace_id, flow_id) references flows on delete cascade
);

create table flow_tests (
  workspace_id id not null,
  flow_id id not null,
  id id not null,
  name text not null,
  scenario jsonb not null,
  created_at moment not null,
  primary key (workspace_id, flow_id, id),
  foreign key (workspace_id, flow_id) references flows on delete cascade
);

-- A run keeps its flow's id and name for good; the flow may be deleted.
alter table flow_runs
  add column version integer,
  add column is_dialog boolean not null default false,
  add column is_test boolean not null default false,
  -- What started it, and which flows were passed over.
  add column cause jsonb,
  -- RunState of flow-engine/contract.ts. Null for runs that were never ours. Not jsonb, which would change the order of
  -- the answers.
  add column state json,
  add column waiting_for text check (waiting_for in ('reply', 'time', 'call', 'ai', 'part')),
  add column waiting_step text,
  -- When to wake it, and the token of the wait.
  add column wakes_at moment,
  add column wake_token integer,
  add column steps_taken integer not null default 0,
  add column messages_sent integer not null default 0,
  -- The number of its rows in flow_run_steps.
  add column steps_logged integer not null default 0,
  add column end_reason text,
  add column parent_run_id id;
-- One voice: a dialog that waits for a part of itself lets the part speak.
create unique index flow_runs_dialog on flow_runs (workspace_id, conversation_id)
  where status = 'running' and is_dialog and waiting_for is distinct from 'part';
create index flow_runs_conversation on flow_runs (workspace_id, conversation_id, id desc);
create index flow_runs_running on flow_runs (workspace_id, conversation_id) where status = 'running';
create index flow_runs_flow on flow_runs (workspace_id, flow_id, status, id desc);
create index flow_runs_status on flow_runs (workspace_id, status, id desc);
create index flow_runs_wakes on flow_runs (wakes_at) where status = 'running' and wakes_at is not null;

-- What a run did, step by step. Kept for 90 days.
create table flow_run_steps (
  workspace_id id not null,
  run_id id not null,
  seq integer not null,
  step_id text,
  type text,
  outcome text not null,
  detail jsonb not null,
  message_id id,
  created_at moment not null,
  primary key (workspace_id, run_id, seq)
);
create index flow_run_steps_created on flow_run_steps (created_at);

-- The funnel. Counted by the transaction of the sprint; the shard keeps sprints at once from waiting for one row.
create table flow_step_counts (
  workspace_id id not null,
  flow_id id not null,
  version integer not null,
  step_id text not null,
  outcome text not null,
  day date not null,
  shard smallint not null,
  count bigint not null,
  primary key (workspace_id, flow_id, version, step_id, outcome, day, shard)
);

-- Who may speak. No row is as good as one with the defaults.
create table automation_states (
  workspace_id id not null,
  conversation_id id not null,
  -- Raised when a person writes, takes over or closes. An automated message that waits to be sent with a lower one is
  -- withdrawn.
  epoch integer not null default 0,
  -- Automation is paused since then, if at all, and until then, or until somebody gives the conversation back.
  paused_at moment,
  paused_until moment,
  paused_by text,
  pause_reason text,
  -- What the loop guards count: times and hashes of the latest inputs, starts, and messages sent.
  guards jsonb,
  -- When nobody has written for as long as a live flow asks for.
  silence_due_at moment,
  primary key (workspace_id, conversation_id),
  foreign key (workspace_id, conversation_id) references conversations on delete cascade
);
create index automation_states_silence on automation_states (silence_due_at) where silence_due_at is not null;

-- What automation has yet to look at, in the order in which it happened: written by the transaction in which it
-- happened, while that holds the contact's lock, and deleted by the sprint that used it.
create table automation_inputs (
  workspace_id id not null,
  conversation_id id not null,
  id bigint generated always as identity,
  kind text not null,
  message_id id,
  run_id id,
  data jsonb,
  created_at moment not null,
  primary key (workspace_id, conversation_id, id)
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
create index automation_inputs_created on automation_inputs (created_at);

-- Of an automated message: sent only while automation_states has this epoch. Null: sent whatever happens.
alter table deliveries add column only_if_epoch integer;
