-- What customers read when the AI agent hands over, by language, and whether it asks for an address out of hours.
alter table ai_settings
  -- Beside `expectation`, which is for the languages that aren't in it.
  add column hand_over_texts jsonb not null default '{}',
  add column asks_address boolean not null default false;
