-- A test of the AI agent uses a model without a conversation.
alter table ai_usage alter column conversation_id drop not null;
