-- When a channel was last tested and last worked, and channels that were removed. A removed one keeps its row, because its conversations
-- refer to it, and what identifies it at its provider (removed_place), so that adding it again takes them up.
alter table channel_accounts
  add column checked_at moment,
  add column worked_at moment,
  add column removed_at moment,
  add column removed_place jsonb,
  add constraint channel_accounts_removed_check check ((removed_at is null) = (removed_place is null)) not valid,
  add constraint channel_accounts_removed_secrets_check check (removed_at is null or secrets is null) not valid;

-- Without any delay, for the conversations of a removed channel.
alter table retention_rules
  drop constraint retention_rules_close_after_days_check,
  drop constraint retention_rules_delete_after_days_check,
  add constraint retention_rules_close_after_days_check check (close_after_days between 0 and 3650) not valid,
  add constraint retention_rules_delete_after_days_check check (delete_after_days between 0 and 3650) not valid;
