-- What the AI agent's requests to a model use, so that parallel turns can't exceed a limit together.

-- One row for each request, for two days. Until it is settled, it counts with what was reserved for it.
create table ai_usage (
  workspace_id id not null,
  id id not null,
  turn_id id not null,
  conversation_id id not null,
  tokens integer not null,
  -- In millionths of the currency.
  cost bigint not null,
  currency text not null,
  created_at moment not null,
  settled_at moment,
  primary key (workspace_id, id),
  foreign key (workspace_id, conversation_id) references conversations on delete cascade
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
create index ai_usage_conversation on ai_usage (workspace_id, conversation_id, created_at);
create index ai_usage_workspace on ai_usage (workspace_id, created_at);
create index ai_usage_age on ai_usage (created_at);

-- What a workspace spent in a day or month, in UTC.
create table ai_spending (
  workspace_id id not null references workspaces,
  period text not null check (period in ('day', 'month')),
  starts_on date not null,
  currency text not null,
  cost bigint not null,
  tokens bigint not null,
  requests integer not null,
  -- When the admins were told that most of the budget is spent.
  warned_at moment,
  primary key (workspace_id, period, starts_on, currency)
);

-- In millionths of the provider's currency; null: no limit.
alter table ai_settings
  add column day_budget bigint,
  add column month_budget bigint;
