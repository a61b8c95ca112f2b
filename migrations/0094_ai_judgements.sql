-- What people found when they checked answers of the AI agent that are assumed to have helped.
create table ai_judgements (
  workspace_id id not null,
  conversation_id id not null,
  -- As of the outcome.
  first_id id not null,
  is_right boolean not null,
  judged_by id not null,
  judged_at moment not null,
  primary key (workspace_id, conversation_id, first_id),
  foreign key (workspace_id, conversation_id) references conversations on delete cascade
);
