-- Where a chat on a website goes on by email: the address that its visitor left (null: they would rather not), how far
-- replies were emailed, and when to look whether another email is due. Limits count addresses by a keyed hash, which
-- outlives the address.
create table chat_emails (
  workspace_id id not null,
  conversation_id id not null,
  address text collate "C",
  address_hash text collate "C",
  language text not null,
  answered_at moment not null,
  -- Somebody who reads the mailbox has answered, or followed a link; shown_at: in the visitor's own browser, or the site
  -- vouches for the address.
  proven_at moment,
  shown_at moment,
  failed_at moment,
  emailed_id id,
  last_email_id text,
  due_at moment,
  primary key (workspace_id, conversation_id),
  foreign key (workspace_id, conversation_id) references conversations (workspace_id, id) on delete cascade
);
create index chat_emails_due on chat_emails (due_at) where due_at is not null;
create index chat_emails_address on chat_emails (workspace_id, address_hash) where address_hash is not null;

-- Each such email, stored before it is sent: the replies in it, and the mailbox it goes out from.
create table chat_mails (
  workspace_id id not null,
  id id not null,
  conversation_id id not null,
  channel_account_id id not null,
  address_hash text collate "C" not null,
  message_ids text[] not null,
  last_message_id id not null,
  state text not null check (state in ('queued', 'sent', 'dropped')),
  created_at moment not null,
  ended_at moment,
  primary key (workspace_id, id),
  foreign key (workspace_id, conversation_id) references conversations (workspace_id, id) on delete cascade,
  foreign key (workspace_id, channel_account_id) references channel_accounts (workspace_id, id)
);
create unique index chat_mails_conversation on chat_mails (workspace_id, conversation_id, last_message_id);
create index chat_mails_address on chat_mails (workspace_id, address_hash, created_at);
create index chat_mails_workspace on chat_mails (workspace_id, created_at);
create index chat_mails_created on chat_mails (created_at);

-- Addresses that want no such emails.
create table chat_email_stops (
  workspace_id id not null references workspaces (id),
  address_hash text collate "C" not null,
  stopped_at moment not null,
  primary key (workspace_id, address_hash)
);
