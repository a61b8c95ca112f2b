-- The data model. Every tenant table's primary key starts with workspace_id and every foreign key between tenant
-- tables carries it, so a row that points into another workspace cannot be stored.
-- Ids are time-ordered cuids (server/db/id.ts); times hold milliseconds, which is what the API shows and compares.

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

create domain id as text collate "C";
create domain moment as timestamptz(3);

-- People and workspaces ------------------------------------------------------------------------------------------

create table workspaces (
  id id primary key,
  name text not null,
  created_at moment not null
);

-- A person across the whole platform, or the one AI agent. nickname_key is the nickname folded by the application,
-- so that uniqueness does not depend on the database's locale.
create table accounts (
  id id primary key,
  email text not null unique,
  nickname text not null,
  nickname_key text not null unique,
  is_ai boolean not null default false,
  last_seen_at moment,
  created_at moment not null
);

insert into accounts (id, email, nickname, nickname_key, is_ai, created_at)
values ('cfoyeraiagent000000000000', 'ai@agents.invalid', 'AI Agent', 'ai agent', true, now());

create table roles (
  workspace_id id not null references workspaces,
  id id not null,
  name text not null,
  permissions text[] not null default '{}',
  is_default boolean not null default false,
  created_at moment not null,
  primary key (workspace_id, id)
);
create unique index roles_default on roles (workspace_id) where is_default;

-- A removed member keeps the row, so that adding the same email again restores it.
create table memberships (
  workspace_id id not null references workspaces,
  account_id id not null references accounts,
  role text not null check (role in ('agent', 'admin', 'ai')),
  role_id id,
  created_at moment not null,
  removed_at moment,
  primary key (workspace_id, account_id),
  foreign key (workspace_id, role_id) references roles
);
create index memberships_account on memberships (account_id);

create table api_tokens (
  workspace_id id not null references workspaces,
  id id not null,
  name text not null,
  prefix text not null,
  hash bytea not null unique,
  created_by id references accounts,
  created_at moment not null,
  last_used_at moment,
  revoked_at moment,
  primary key (workspace_id, id)
);
create unique index api_tokens_id on api_tokens (id);

-- One-time sign-in links and codes: only a hash of the secret is kept.
create table sign_in_secrets (
  hash bytea primary key,
  account_id id not null references accounts on delete cascade,
  expires_at moment not null,
  used_at moment,
  created_at moment not null
);

-- Channels -------------------------------------------------------------------------------------------------------

-- A connected number, mailbox, page, bot or site. settings is readable; secrets is sealed (server/seal.ts).
create table channel_accounts (
  workspace_id id not null references workspaces,
  id id not null unique,
  channel text not null check (channel in ('web', 'whatsapp', 'facebook', 'telegram', 'sms', 'email')),
  name text not null,
  address text,
  settings jsonb not null default '{}',
  secrets bytea,
  created_at moment not null,
  primary key (workspace_id, id)
);
create index channel_accounts_channel on channel_accounts (workspace_id, channel, id);

-- Contacts -------------------------------------------------------------------------------------------------------

-- What the directory shows is stored here by the transaction that changes it. last_activity_at is null for a contact
-- who has no conversation. search_text is name, email, phone and username, folded, separated by U+001F.
create table contacts (
  workspace_id id not null references workspaces,
  id id not null,
  name text not null,
  email text,
  phone text,
  username text,
  country_iso text,
  avatar_url text,
  custom_fields jsonb not null default '{}',
  channels text[] not null default '{}',
  conversation_count integer not null default 0,
  open_count integer not null default 0,
  latest_conversation_id id,
  assigned_agent_id id references accounts,
  last_activity_at moment,
  opted_out_at moment,
  search_text text not null,
  created_at moment not null,
  primary key (workspace_id, id)
) with (fillfactor = 85);
create index contacts_activity on contacts (workspace_id, last_activity_at desc nulls last, id desc);
create index contacts_country on contacts (workspace_id, country_iso, last_activity_at desc nulls last, id desc);
create index contacts_assigned on contacts (workspace_id, last_activity_at desc nulls last, id desc) where assigned_agent_id is not null;
create index contacts_unassigned on contacts (workspace_id, last_activity_at desc nulls last, id desc) where assigned_agent_id is null;
create index contacts_open on contacts (workspace_id, last_activity_at desc nulls last, id desc) where open_count > 0;
create index contacts_web on contacts (workspace_id, last_activity_at desc nulls last, id desc) where 'web' = any (channels);
create index contacts_whatsapp on contacts (workspace_id, last_activity_at desc nulls last, id desc) where 'whatsapp' = any (channels);
create index contacts_facebook on contacts (workspace_id, last_activity_at desc nulls last, id desc) where 'facebook' = any (channels);
create index contacts_telegram on contacts (workspace_id, last_activity_at desc nulls last, id desc) where 'telegram' = any (channels);
create index contacts_sms on contacts (workspace_id, last_activity_at desc nulls last, id desc) where 'sms' = any (channels);
create index contacts_email on contacts (workspace_id, last_activity_at desc nulls last, id desc) where 'email' = any (channels);

-- The text of each contact that searches go through, apart from the contact itself: there, every message would write
-- its trigrams anew (a third of the throughput of such an update). Kept in step by the trigger below.
create table contact_search (
  workspace_id id not null,
  contact_id id not null,
  text text not null,
  phone text,
  primary key (workspace_id, contact_id),
  foreign key (workspace_id, contact_id) references contacts on delete cascade
);

-- The characters of a text and its pairs of neighbours: what a search of one or two letters looks for, and one of
-- punctuation, where trigrams do not help. Repeated ones are left in; the index folds them.
create function short_grams(text text) returns text[] language plpgsql immutable strict parallel safe as $$
declare
  before text := '';
  this text;
  grams text[];
begin
  foreach this in array string_to_array(text, null) loop
    grams := grams || this || (before || this);
    before := this;
  end loop;
  return grams;
end $$;

create index contact_search_trigrams on contact_search using gin (workspace_id, text gin_trgm_ops);
create index contact_search_short on contact_search using gin (workspace_id, short_grams(text));

create function keep_contact_search() returns trigger language plpgsql as $$
begin
  insert into contact_search (workspace_id, contact_id, text, phone)
  values (new.workspace_id, new.id, new.search_text, new.phone)
  on conflict (workspace_id, contact_id) do update set text = excluded.text, phone = excluded.phone;
  return null;
end $$;

create trigger contact_search_insert after insert on contacts
  for each row execute function keep_contact_search();
create trigger contact_search_update after update of search_text, phone on contacts
  for each row when (old.search_text <> new.search_text or old.phone is distinct from new.phone)
  execute function keep_contact_search();

-- What proves who a contact is. The primary key, not a look-up, is what makes one person one contact.
-- An unverified identity is what somebody claimed (an email typed into a chat box): it finds, it never merges.
create table identities (
  workspace_id id not null references workspaces,
  kind text not null check (kind in
    ('email', 'phone', 'whatsapp_id', 'whatsapp_user_id', 'visitor', 'telegram', 'facebook', 'sms')),
  value text collate "C" not null,
  contact_id id not null,
  verified boolean not null default true,
  created_at moment not null,
  primary key (workspace_id, kind, value),
  foreign key (workspace_id, contact_id) references contacts on delete cascade
);
create index identities_contact on identities (workspace_id, contact_id);

-- How many contacts there are, in all, by country and by channel: the directory's total and facets. Spread over
-- shards (added up when read), so that contacts created at the same moment do not wait for one row.
create table contact_counts (
  workspace_id id not null references workspaces,
  kind text not null check (kind in ('total', 'country', 'channel')),
  key text not null,
  shard smallint not null,
  count bigint not null,
  primary key (workspace_id, kind, key, shard)
) with (fillfactor = 50);

create table tags (
  workspace_id id not null references workspaces,
  id id not null,
  name text not null,
  name_key text not null,
  color text not null check (color ~ '^#[0-9a-f]{6}$'),
  created_at moment not null,
  primary key (workspace_id, id),
  unique (workspace_id, name_key)
);

create table contact_tags (
  workspace_id id not null,
  contact_id id not null,
  tag_id id not null,
  primary key (workspace_id, contact_id, tag_id),
  foreign key (workspace_id, contact_id) references contacts on delete cascade,
  foreign key (workspace_id, tag_id) references tags on delete cascade
);
create index contact_tags_tag on contact_tags (workspace_id, tag_id, contact_id);

create table contact_groups (
  workspace_id id not null references workspaces,
  id id not null,
  name text not null,
  description text not null default '',
  created_at moment not null,
  updated_at moment not null,
  primary key (workspace_id, id)
);

create table contact_group_members (
  workspace_id id not null,
  group_id id not null,
  contact_id id not null,
  added_at moment not null,
  primary key (workspace_id, group_id, contact_id),
  foreign key (workspace_id, group_id) references contact_groups on delete cascade,
  foreign key (workspace_id, contact_id) references contacts on delete cascade
);
create index contact_group_members_contact on contact_group_members (workspace_id, contact_id);

-- Conversations --------------------------------------------------------------------------------------------------

-- The last message is stored with the conversation, as the list shows it. has_single_open marks the channels on
-- which a contact has at most one open conversation per channel account (all but email, which has one per thread).
create table conversations (
  workspace_id id not null references workspaces,
  id id not null,
  channel text not null,
  channel_account_id id not null,
  contact_id id not null,
  subject text,
  status text not null default 'open' check (status in ('open', 'closed')),
  agent_id id references accounts,
  assigned_at moment,
  last_message_id id,
  last_message_body text,
  last_message_sender_id text,
  last_message_sender_type text,
  last_message_status text,
  last_message_at moment,
  last_inbound_at moment,
  unread_count integer not null default 0,
  created_at moment not null,
  updated_at moment not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, channel_account_id) references channel_accounts,
  foreign key (workspace_id, contact_id) references contacts
) with (fillfactor = 85);
create unique index conversations_single_open on conversations (workspace_id, channel_account_id, contact_id)
  where status = 'open' and channel <> 'email';
create index conversations_updated on conversations (workspace_id, updated_at desc, id desc);
create index conversations_status on conversations (workspace_id, status, channel, updated_at desc, id desc);
create index conversations_unassigned on conversations (workspace_id, channel, updated_at desc, id desc)
  where status = 'open' and agent_id is null;
create index conversations_agent on conversations (workspace_id, agent_id, status, channel, updated_at desc, id desc)
  where agent_id is not null;
create index conversations_status_created on conversations (workspace_id, status, channel, id desc);
create index conversations_unassigned_created on conversations (workspace_id, channel, id desc)
  where status = 'open' and agent_id is null;
create index conversations_agent_created on conversations (workspace_id, agent_id, status, channel, id desc)
  where agent_id is not null;
create index conversations_contact on conversations (workspace_id, contact_id, updated_at desc, id desc);
create index conversations_subject on conversations using gin (workspace_id, subject gin_trgm_ops)
  where subject is not null;

-- A message as it stands in the thread. sender_id is a contact's id, an agent's account id, api:<token id>, or
-- 'system'. external_id is the provider's id (or the widget's clientId): its uniqueness makes a retry harmless.
create table messages (
  workspace_id id not null references workspaces,
  id id not null,
  conversation_id id not null,
  channel_account_id id not null,
  sender_type text not null check (sender_type in ('customer', 'agent', 'automation', 'system')),
  sender_id text not null,
  body text not null,
  status text not null check (status in ('queued', 'sent', 'delivered', 'read', 'failed')),
  reply_to_message_id id,
  reply_quote text,
  metadata jsonb,
  external_id text collate "C",
  created_at moment not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, conversation_id) references conversations
) with (fillfactor = 92);
create index messages_conversation on messages (workspace_id, conversation_id, id desc);
create index messages_inbound on messages (workspace_id, id desc) where sender_type = 'customer';
create index messages_outbound on messages (workspace_id, id desc) where sender_type in ('agent', 'automation');
create unique index messages_external on messages (workspace_id, channel_account_id, external_id)
  where external_id is not null;
create index messages_body on messages using gin (workspace_id, body gin_trgm_ops);

-- One- and two-character searches: the grams of a conversation's texts that are not on the list of common ones
-- (server/resources/conversations/grams.ts). A candidate index: whoever reads it checks the text again.
create table conversation_grams (
  workspace_id id not null,
  gram text collate "C" not null,
  conversation_id id not null,
  primary key (workspace_id, gram, conversation_id),
  foreign key (workspace_id, conversation_id) references conversations on delete cascade
);

create table attachments (
  workspace_id id not null,
  id id not null,
  message_id id not null,
  type text not null check (type in ('image', 'audio', 'video', 'file', 'sticker', 'location', 'contacts')),
  name text not null,
  mime_type text not null,
  size bigint not null,
  storage_key text,
  created_at moment not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, message_id) references messages on delete cascade
);
create index attachments_message on attachments (workspace_id, message_id, id);

-- One attempt to hand an outbound message to a provider. A retry after a definite end is a new row.
--   pending      waits for its turn, not before not_before
--   sending      claimed: the call to the provider may be under way
--   accepted     the provider took it
--   refused      a definite no, or given up
--   unconfirmed  the call broke after the request was written; only the provider's later word settles it
create table deliveries (
  workspace_id id not null,
  id id not null,
  message_id id not null,
  conversation_id id not null,
  channel_account_id id not null,
  state text not null default 'pending'
    check (state in ('pending', 'sending', 'accepted', 'refused', 'unconfirmed')),
  tries integer not null default 0,
  not_before moment not null,
  claimed_at moment,
  error_code text,
  error_message text,
  created_at moment not null,
  updated_at moment not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, message_id) references messages on delete cascade
);
create index deliveries_message on deliveries (workspace_id, message_id);
create index deliveries_open on deliveries (workspace_id, conversation_id, id)
  where state in ('pending', 'sending');
create index deliveries_unsettled on deliveries (updated_at) where state in ('pending', 'sending', 'unconfirmed');

-- author_id is an agent's account id or api:<token id>.
create table notes (
  workspace_id id not null,
  id id not null,
  contact_id id not null,
  conversation_id id,
  author_id text not null,
  body text not null,
  created_at moment not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, contact_id) references contacts on delete cascade,
  foreign key (workspace_id, conversation_id) references conversations
);
create index notes_contact on notes (workspace_id, contact_id, id desc);
create index notes_conversation on notes (workspace_id, conversation_id, id desc);

create table flow_runs (
  workspace_id id not null,
  id id not null,
  flow_id id not null,
  flow_name text not null,
  contact_id id not null,
  conversation_id id,
  status text not null check (status in ('running', 'completed', 'failed', 'cancelled')),
  started_at moment not null,
  completed_at moment,
  primary key (workspace_id, id),
  foreign key (workspace_id, contact_id) references contacts on delete cascade,
  foreign key (workspace_id, conversation_id) references conversations
);
create index flow_runs_contact on flow_runs (workspace_id, contact_id, started_at desc);

-- Web chat -------------------------------------------------------------------------------------------------------

-- A browser that opened the chat box. It becomes a contact with its first message; name and email are its claims.
create table visitors (
  workspace_id id not null,
  id id not null,
  channel_account_id id not null,
  token_hash bytea not null unique,
  contact_id id,
  name text,
  email text,
  locale text,
  page text,
  created_at moment not null,
  seen_at moment not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, channel_account_id) references channel_accounts,
  foreign key (workspace_id, contact_id) references contacts
);
create index visitors_contact on visitors (workspace_id, contact_id) where contact_id is not null;
create index visitors_silent on visitors (seen_at) where contact_id is null;

-- Events and retries ---------------------------------------------------------------------------------------------

-- What happened, for those who follow it live. Written in the transaction that it reports. A reader goes by
-- (tx, id) and stops at the oldest transaction still running, so that one which commits late is never skipped.
create table events (
  tx bigint not null default pg_current_xact_id()::text::bigint,
  id bigint generated always as identity,
  workspace_id id not null,
  type text not null,
  conversation_id id,
  contact_id id,
  data jsonb not null,
  created_at moment not null,
  primary key (tx, id)
);
create index events_conversation on events (workspace_id, conversation_id, tx, id);
create index events_created on events (created_at);

-- The answer to a POST that carried an Idempotency-Key, stored by the transaction that did the work.
create table idempotency_keys (
  workspace_id id not null,
  operation text not null,
  key text collate "C" not null,
  request_hash bytea not null,
  response text not null,
  is_final boolean not null default true,
  created_at moment not null,
  primary key (workspace_id, operation, key)
);
create index idempotency_keys_created on idempotency_keys (created_at);
