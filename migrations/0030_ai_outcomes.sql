-- What became of each episode in which the AI agent took part. Computed from the thread and its turns by one statement
-- (server/domain/ai/outcome-queries.ts), and kept when they are gone.
create table ai_outcomes (
  workspace_id id not null,
  conversation_id id not null,
  -- The entry of the thread that it began with.
  first_id id not null,
  started_by text not null check (started_by in ('opened', 'reopened', 'assigned', 'silence')),
  started_at moment not null,
  -- Closed, silent for three days, or the next one began.
  ended_at moment,
  -- When it will have been silent for three days.
  quiet_at moment not null,
  turns integer not null,
  -- Turns that ended with an answer, and with a question back.
  answered integer not null,
  asked integer not null,
  handed_over_at moment,
  hand_over_reason text,
  -- The customer said that the last answer helped, by a button or by thanking.
  confirmed_by text check (confirmed_by in ('tap', 'thanks')),
  -- It ended after an answer, nobody else wrote and nothing was asked since.
  is_assumed boolean not null,
  -- The customer came back within a week, or a person called an answer wrong: it is neither confirmed nor assumed.
  reopened_at moment,
  wrong integer not null,
  input_tokens bigint not null,
  cached_tokens bigint not null,
  output_tokens bigint not null,
  -- In millionths of the provider's currency.
  cost bigint not null,
  first_reply_ms bigint,
  hand_over_ms bigint,
  primary key (workspace_id, conversation_id, first_id),
  foreign key (workspace_id, conversation_id) references conversations on delete cascade
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
create index ai_outcomes_started on ai_outcomes (workspace_id, started_at);
create index ai_outcomes_quiet on ai_outcomes (quiet_at) where ended_at is null;

-- A person's judgement of what was said or decided.
alter table ai_turns
  add column wrong_by id,
  add column wrong_at moment;
