-- The header of a broadcast's template: its values, and the uploaded file in it, which is kept as long as the broadcast is.
alter table broadcasts
  add column header jsonb,
  add column header_attachment_id id;

-- Files that a provider keeps for a while. `owner`: what the provider's id is valid for, e.g. a WhatsApp number.
create table provider_files (
  workspace_id id not null,
  channel_account_id id not null,
  owner text not null,
  storage_key text not null,
  external_id text not null,
  kept_until moment not null,
  primary key (workspace_id, channel_account_id, owner, storage_key),
  foreign key (workspace_id, channel_account_id) references channel_accounts on delete cascade
);
create index provider_files_kept on provider_files (kept_until);
