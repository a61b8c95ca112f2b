-- What a mail holds beyond what its message shows: quotes and signatures, as metadata.hidden has it. Apart from the
-- message, so that a search reads it only where a mail hides something.
create table email_hidden_texts (
  workspace_id id not null,
  message_id id not null,
  conversation_id id not null,
  text text not null,
  primary key (workspace_id, message_id),
  foreign key (workspace_id, message_id) references messages on delete cascade
);

create index email_hidden_texts_conversation on email_hidden_texts (workspace_id, conversation_id);
create index email_hidden_texts_trigrams on email_hidden_texts using gin (workspace_id, text gin_trgm_ops);
