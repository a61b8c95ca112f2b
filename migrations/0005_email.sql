-- Email: what a mail has beyond the message that lists show, and what a thread is answered with.

-- text is the whole text with what was quoted, where the message's body is less than that. html is sanitised; files of
-- the mail are named in it by attachment. reference_ids are the Message-IDs that the mail itself refers to, oldest first.
create table email_contents (
  workspace_id id not null,
  message_id id not null,
  text text,
  html text,
  reference_ids text[] not null default '{}',
  primary key (workspace_id, message_id),
  foreign key (workspace_id, message_id) references messages on delete cascade
);

-- Whom a thread's answers go to, and under which subject: that of the customer's latest mail.
create table email_threads (
  workspace_id id not null,
  conversation_id id not null,
  -- Who takes part: the address that the customer writes from, or was written to first.
  address text collate "C" not null,
  -- Where answers go, when the customer asks for another place.
  reply_to text,
  subject text,
  primary key (workspace_id, conversation_id),
  foreign key (workspace_id, conversation_id) references conversations
);

-- Message-IDs by which a message is known beside its own: some providers give what goes out another one.
create table email_aliases (
  workspace_id id not null,
  channel_account_id id not null,
  email_id text collate "C" not null,
  message_id id not null,
  primary key (workspace_id, channel_account_id, email_id),
  foreign key (workspace_id, message_id) references messages on delete cascade
);
create index email_aliases_message on email_aliases (workspace_id, message_id);
