-- For how long a person can undo what they send.
alter table accounts add column undo_seconds smallint not null default 5;
alter table accounts add constraint accounts_undo_seconds_check check (undo_seconds in (0, 5, 10, 20)) not valid;

-- What people have sent and can still undo: no message yet.
create table held_messages (
  workspace_id id not null,
  id id not null,
  conversation_id id not null,
  account_id id not null references accounts,
  -- Of a template: as the customer will read it.
  body text not null,
  attachment_ids text[] not null default '{}',
  reply_to id,
  send_to text,
  draft_id id,
  -- As it was requested.
  template jsonb,
  -- The newest message of the conversation when it was written.
  last_message_id id,
  -- Somebody else's reply since then keeps it from being sent.
  yields boolean not null,
  reopens boolean not null,
  then_close boolean not null,
  due_at moment not null,
  -- Why it was not sent: {code, message}. Kept until its author does something about it.
  problem jsonb,
  created_at moment not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, conversation_id) references conversations on delete cascade
);
create index held_messages_due on held_messages (due_at) where problem is null;
create index held_messages_author on held_messages (workspace_id, account_id);
create index held_messages_conversation on held_messages (workspace_id, conversation_id);
