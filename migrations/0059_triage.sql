-- What each person has read of a conversation. `inbound_seq` counts what the customer wrote; it starts at what
-- unread_count said, which stays the number of messages that nobody has read. `closed_seq` is where it was at the last
-- closing: what was done with is read for everyone.
alter table conversations add column inbound_seq integer not null default 0;
alter table conversations add column closed_seq integer not null default 0;

create table conversation_reads (
  workspace_id id not null,
  account_id id not null references accounts on delete cascade,
  conversation_id id not null,
  read_seq integer not null,
  -- Marked as unread, until they read it again.
  is_marked boolean not null default false,
  primary key (workspace_id, account_id, conversation_id),
  foreign key (workspace_id, conversation_id) references conversations on delete cascade
);
create index conversation_reads_conversation on conversation_reads (workspace_id, conversation_id);

-- For a new member, what customers wrote before is read. Null: a member from before this was known.
alter table memberships add column unread_since moment;
alter table memberships alter column unread_since set default now();
-- What counts as their unread besides what is assigned to them.
alter table memberships add column counts_unassigned boolean not null default false;

-- While a broadcast is the last thing that happened (until updated_at is later than held_until), the inbox has the
-- conversation where it was before, at held_at, and shows that message.
alter table conversations add column held_until moment;
alter table conversations add column held_at moment;
alter table conversations add column held_message_id id;

-- When the customer wrote what nobody has replied to yet; null if it is their turn.
alter table conversations add column waiting_since moment;
