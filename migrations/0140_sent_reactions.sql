-- The team's reactions to customers' messages, on their way to the provider: one for each message, the latest that was
-- wanted. What is shown is in the message's metadata.
create table sent_reactions (
  workspace_id id not null,
  message_id id not null,
  conversation_id id not null,
  channel_account_id id not null,
  account_id id not null,
  -- Null: it is taken away.
  emoji text,
  -- What the provider accepted last, so that is what the customer sees.
  reached text,
  -- Rises with each change, so that the outcome of an earlier one doesn't count for it.
  revision integer not null default 1,
  state text not null default 'pending',
  -- Of this revision.
  tries integer not null default 0,
  not_before moment not null,
  -- The number of the claim, and whose it is.
  claim integer not null default 0,
  claimed_by text,
  claimed_at moment,
  error_code text,
  error_message text,
  created_at moment not null,
  updated_at moment not null,
  primary key (workspace_id, message_id),
  foreign key (workspace_id, message_id) references messages (workspace_id, id) on delete cascade,
  check (state in ('pending', 'sending', 'sent', 'refused'))
);
create index sent_reactions_claimed on sent_reactions (claimed_by) where state = 'sending';
create index sent_reactions_open on sent_reactions (updated_at) where state in ('pending', 'sending');
