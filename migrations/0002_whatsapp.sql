-- WhatsApp: files that are fetched later, templates, and what webhooks bring that has no place yet.

-- `pending`: the provider still has the file, and `source` says where. `inline`: `source` is the content itself (a
-- location, shared contacts). `failed`: it could not be fetched.
alter table attachments
  add column state text not null default 'stored' check (state in ('stored', 'pending', 'inline', 'failed')),
  add column source jsonb;
create index attachments_pending on attachments (created_at) where state = 'pending';

-- The template of a delivery with its blanks filled, frozen when it was accepted: {name, language, components}.
alter table deliveries add column template jsonb;

-- The templates of a WhatsApp Business account as they were last fetched, for when the provider does not answer.
-- Several sending numbers may share one such account.
create table whatsapp_templates (
  workspace_id id not null references workspaces,
  business_account_id text collate "C" not null,
  name text collate "C" not null,
  language text collate "C" not null,
  definition jsonb not null,
  primary key (workspace_id, business_account_id, name, language)
);

create table whatsapp_template_fetches (
  workspace_id id not null references workspaces,
  business_account_id text collate "C" not null,
  fetched_at moment not null,
  primary key (workspace_id, business_account_id)
);

-- The state of a message that we do not know yet by the provider's id: the webhook overtook the answer to the send.
-- Taken up when that id becomes known; dropped after a while, when it was never one of ours.
create table parked_statuses (
  workspace_id id not null,
  channel_account_id id not null,
  external_id text collate "C" not null,
  status text not null check (status in ('sent', 'delivered', 'read', 'failed')),
  failure jsonb,
  created_at moment not null,
  primary key (workspace_id, channel_account_id, external_id, status),
  foreign key (workspace_id, channel_account_id) references channel_accounts
);
create index parked_statuses_created on parked_statuses (created_at);

-- What a proven webhook brought and we did not understand or could not store, as it came, for the operator. The hash
-- makes a provider's retry harmless.
create table webhook_leftovers (
  workspace_id id not null,
  channel_account_id id not null,
  hash bytea not null,
  reason text not null,
  raw text not null,
  created_at moment not null,
  primary key (workspace_id, channel_account_id, hash),
  foreign key (workspace_id, channel_account_id) references channel_accounts
);
create index webhook_leftovers_created on webhook_leftovers (created_at);
