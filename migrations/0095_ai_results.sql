-- Outside of a transaction.
create index concurrently if not exists ai_outcomes_ended on ai_outcomes (workspace_id, ended_at)
  where ended_at is not null;
create index concurrently if not exists reply_drafts_written on reply_drafts (workspace_id, created_at)
  where turn_id is not null;
