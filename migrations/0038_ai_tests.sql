-- Tests of the AI agent that a workspace keeps, and runs of them and of those that come with Foyer.
create table ai_tests (
  workspace_id id not null references workspaces,
  id id not null,
  scenario jsonb not null,
  -- What it was kept from; the turn may be gone.
  turn_id id,
  created_by text not null,
  created_at moment not null,
  updated_at moment not null,
  primary key (workspace_id, id)
);

create table ai_test_runs (
  workspace_id id not null references workspaces,
  id id not null,
  state text not null default 'running' check (state in ('running', 'ended', 'cancelled')),
  -- Guidance as it was at the start; null if the run isn't against it.
  live jsonb,
  draft jsonb,
  live_version integer,
  -- The name of the model; null: there was none.
  model text,
  started_by text not null,
  started_at moment not null,
  ended_at moment,
  primary key (workspace_id, id)
);
create unique index ai_test_runs_running on ai_test_runs (workspace_id) where state = 'running';

create table ai_test_results (
  workspace_id id not null,
  run_id id not null,
  position integer not null,
  guidance text not null check (guidance in ('live', 'draft')),
  -- An id of ai_tests, or the name of one that comes with Foyer.
  test_id text not null,
  is_own boolean not null,
  -- Of the scenario, to tell whether it has changed since.
  fingerprint text not null,
  scenario jsonb not null,
  state text not null default 'waiting' check (state in ('waiting', 'passed', 'failed', 'skipped')),
  tries integer not null default 0,
  -- [{expected, happened, isMet}]
  checks jsonb not null default '[]',
  said jsonb not null default '[]',
  -- Why it wasn't tried.
  skipped text,
  ended_at moment,
  primary key (workspace_id, run_id, position, guidance),
  foreign key (workspace_id, run_id) references ai_test_runs on delete cascade
);
create index ai_test_results_test on ai_test_results (workspace_id, test_id, guidance, run_id desc);
