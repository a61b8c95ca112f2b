-- Drafts of replies: proposed to people, who send them, change them or don't.
create table reply_drafts (
  workspace_id id not null,
  id id not null,
  conversation_id id not null,
  -- Of the AI agent; null if something else proposed it.
  turn_id id,
  -- Like the sender of a message: an account, such as the AI agent's, or a token.
  proposed_by text not null,
  -- Who asked for it; null: for everyone who may reply.
  asked_by id,
  text text not null,
  -- [{type, id, title, url, quote, isInternal}]
  sources jsonb not null default '[]',
  -- The newest message when it was written.
  last_message_id id,
  state text not null default 'offered' check (state in ('offered', 'used', 'changed', 'dismissed', 'stale')),
  -- What was sent from it, by whom, and how much of it was kept: 0 to 1.
  message_id id,
  settled_by id,
  similarity real,
  created_at moment not null,
  settled_at moment,
  primary key (workspace_id, id),
  foreign key (workspace_id, conversation_id) references conversations on delete cascade
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
create index reply_drafts_conversation on reply_drafts (workspace_id, conversation_id, id desc);
create index reply_drafts_age on reply_drafts (created_at);

-- A summary is for the person who asked for it.
alter table ai_turns
  drop constraint ai_turns_kind_check,
  add constraint ai_turns_kind_check check (kind in ('reply', 'draft', 'summary'));
