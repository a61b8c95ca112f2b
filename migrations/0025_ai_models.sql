-- The AI agent with a language model: who provides it, what it is told, and exactly what was sent.

-- No row: it replies from the knowledge alone.
create table ai_providers (
  workspace_id id not null references workspaces,
  -- If false, it replies from the knowledge alone.
  is_enabled boolean not null default true,
  kind text not null check (kind in ('chat_completions', 'responses', 'messages')),
  base_url text not null,
  -- Sealed; null for a server that needs none.
  key bytea,
  model text not null,
  -- Null: knowledge is found by its words alone.
  embedding_model text,
  -- In millionths of the currency, per million tokens. Null: not known, so costs nothing in the counts.
  currency text not null default 'USD',
  input_price bigint,
  cached_price bigint,
  output_price bigint,
  -- What the last check found; see models/contract.ts.
  abilities jsonb,
  check_steps jsonb,
  checked_at moment,
  updated_by text not null,
  updated_at moment not null,
  primary key (workspace_id)
);

-- What it is told: the draft, and which version is live. No row, or no live version: nothing beyond our own words.
create table ai_guidance (
  workspace_id id not null references workspaces,
  draft jsonb not null,
  -- Raised by each save, so that the second of two editors is refused.
  revision integer not null default 1,
  live_version integer,
  updated_by text not null,
  updated_at moment not null,
  primary key (workspace_id)
);

-- A version never changes.
create table ai_versions (
  workspace_id id not null references workspaces,
  number integer not null,
  guidance jsonb not null,
  published_by text not null,
  published_at moment not null,
  primary key (workspace_id, number)
);

alter table ai_turns
  -- A reply is sent; a draft is shown to the person who asked for it.
  add column kind text not null default 'reply' check (kind in ('reply', 'draft')),
  add column asked_by id,
  add column version integer,
  add column input_tokens integer not null default 0,
  add column cached_tokens integer not null default 0,
  add column output_tokens integer not null default 0,
  -- In millionths of the provider's currency.
  add column cost bigint not null default 0;

drop index ai_turns_open;
create unique index ai_turns_open on ai_turns (workspace_id, conversation_id)
  where state <> 'ended' and kind = 'reply';
create unique index ai_turns_drafting on ai_turns (workspace_id, conversation_id, asked_by)
  where state <> 'ended' and kind = 'draft';

-- One row for each request to a model: what was sent, with what was redacted left out, and what came back.
create table ai_requests (
  workspace_id id not null,
  turn_id id not null,
  id id not null,
  model text not null,
  request jsonb not null,
  -- Null if there was no answer.
  response jsonb,
  -- See ModelProblem in models/contract.ts; null if it went well.
  problem text,
  provider_request_id text,
  tries integer not null,
  input_tokens integer not null default 0,
  cached_tokens integer not null default 0,
  output_tokens integer not null default 0,
  cost bigint not null default 0,
  duration_ms integer not null,
  created_at moment not null,
  primary key (workspace_id, turn_id, id),
  foreign key (workspace_id, turn_id) references ai_turns on delete cascade
);
create index ai_requests_age on ai_requests (created_at);
