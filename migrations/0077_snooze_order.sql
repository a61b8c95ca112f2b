-- Outside of a transaction.

-- The list of what is snoozed, the next to wake first.
create index concurrently if not exists conversations_snoozed on conversations (workspace_id, snoozed_until, id)
  where snoozed_until is not null;

-- Of all workspaces, for what wakes them.
create index concurrently if not exists conversations_snooze_due on conversations (snoozed_until)
  where snoozed_until is not null;

alter table conversations validate constraint conversations_priority_check;
