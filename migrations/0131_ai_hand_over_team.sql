-- The team that gets the AI agent's conversations when it hands over. No foreign key: one that is gone counts as none.
alter table ai_settings add column hand_over_team_id id;
