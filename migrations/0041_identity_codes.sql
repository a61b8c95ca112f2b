-- Six-digit codes that customers enter in a conversation to show who they are. The code itself is in no row: it follows
-- from the row's id and the server's key.

create table identity_codes (
  workspace_id id not null,
  id id not null,
  conversation_id id not null,
  -- Whose address it is. A conversation that belongs to somebody else by now isn't verified.
  contact_id id not null,
  kind text not null check (kind in ('email', 'phone')),
  address text not null,
  language text not null,
  -- ended: void, whether it was entered before or not.
  state text not null check (state in ('open', 'entered', 'ended')),
  -- Entered wrongly so many times.
  wrong_count integer not null default 0,
  expires_at moment not null,
  verified_until moment,
  sent_at moment,
  created_at moment not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, conversation_id) references conversations on delete cascade,
  foreign key (workspace_id, contact_id) references contacts on delete cascade
);
create index identity_codes_conversation on identity_codes (workspace_id, conversation_id, id desc);
create index identity_codes_contact on identity_codes (workspace_id, contact_id, created_at);
create index identity_codes_created on identity_codes (created_at);
create index identity_codes_workspace on identity_codes (workspace_id, created_at);
