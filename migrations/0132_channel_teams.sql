-- Outside of a transaction.

-- Which conversations that customers begin on the account come to. A removed team counts as none.
alter table channel_accounts add column if not exists team_id id;

alter table channel_accounts drop constraint if exists channel_accounts_team_fkey;

alter table channel_accounts add constraint channel_accounts_team_fkey foreign key (workspace_id, team_id)
  references teams not valid;

alter table channel_accounts validate constraint channel_accounts_team_fkey;
