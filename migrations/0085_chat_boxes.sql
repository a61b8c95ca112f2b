-- What the chat box of a web channel is told beyond its connection, and the secret with which its site says who is
-- signed in. Secrets are encrypted; the former one is accepted until its end, so that a site can change to the new one.
create table chat_boxes (
  workspace_id id not null,
  channel_account_id id not null,
  settings jsonb not null default '{}',
  identity_secret bytea,
  former_secret bytea,
  former_until moment,
  primary key (workspace_id, channel_account_id),
  foreign key (workspace_id, channel_account_id) references channel_accounts (workspace_id, id)
);

-- Whom the site has signed a visitor in as, with the address that it vouches for, and until when.
alter table visitors add column signed_id text, add column signed_email text, add column signed_until moment;
