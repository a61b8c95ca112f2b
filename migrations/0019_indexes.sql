-- Outside of a transaction.

-- What is due is found by account.
create index concurrently if not exists deliveries_due on deliveries (workspace_id, channel_account_id, not_before)
  where state = 'pending';
create index concurrently if not exists attachments_due_by_account
  on attachments (workspace_id, coalesce(channel_account_id, ''), not_before)
  where state = 'pending' and message_id is not null;
drop index concurrently if exists attachments_due;

-- What a process that died had claimed.
create index concurrently if not exists deliveries_claimed on deliveries (claimed_by) where state = 'sending';
create index concurrently if not exists attachments_claimed on attachments (claimed_by)
  where state = 'pending' and claimed_by is not null;

-- What could not be stored: what is tried next, and what is shown.
create index concurrently if not exists webhook_leftovers_due on webhook_leftovers (next_try_at)
  where next_try_at is not null;
create index concurrently if not exists webhook_leftovers_shown
  on webhook_leftovers (workspace_id, created_at desc, hash desc);
