-- Erasures of contacts: what was asked for, how far it is, and who must not come back by accident.
-- How long the conversations of a channel account are kept.
create table erasures (
  workspace_id id not null references workspaces (id),
  id id not null,
  contact_id id not null,
  mode text not null check (mode in ('erase', 'anonymise')),
  status text not null default 'running' check (status in ('running', 'completed')),
  -- What the person is found by where no id names them, encrypted; null once nothing is left to find.
  clues bytea,
  counts jsonb not null default '{}',
  actor text not null,
  created_at moment not null,
  erased_at moment,
  primary key (workspace_id, id),
  check ((status = 'running') = (clues is not null))
);
create unique index erasures_running on erasures (workspace_id, contact_id) where status = 'running';

create table erased_identities (
  workspace_id id not null references workspaces (id),
  -- An HMAC with the server's key of the identity's kind and value.
  hash text collate "C" not null,
  erased_at moment not null,
  primary key (workspace_id, hash)
);
create index erased_identities_age on erased_identities (erased_at);

create table retention_rules (
  workspace_id id not null,
  channel_account_id id not null,
  close_after_days integer check (close_after_days between 1 and 3650),
  delete_after_days integer check (delete_after_days between 1 and 3650),
  -- Applied on this day (UTC), or not to be applied before the next.
  done_on date not null,
  -- Of the day that is not completed: what was closed and deleted so far.
  counts jsonb not null default '{}',
  primary key (workspace_id, channel_account_id),
  foreign key (workspace_id, channel_account_id) references channel_accounts (workspace_id, id) on delete cascade
);
