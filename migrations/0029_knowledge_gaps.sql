-- Outside of a transaction.
-- Questions that the AI agent had no reply to. They are grouped when they are read; a row says that one was dealt with.
create table if not exists ai_gap_closings (
  workspace_id id not null,
  turn_id id not null,
  -- Null: dismissed.
  answer_id id,
  closed_by text not null,
  closed_at moment not null,
  primary key (workspace_id, turn_id),
  foreign key (workspace_id, turn_id) references ai_turns on delete cascade
);
create index concurrently if not exists ai_turns_unanswered on ai_turns (workspace_id, id desc)
  where outcome = 'handed_over' and question <> ''
    and decision ->> 'reason' in ('no_knowledge', 'failed_twice', 'low_confidence');
