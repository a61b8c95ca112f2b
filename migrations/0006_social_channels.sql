-- Telegram, Messenger and SMS: what is known of a customer on one bot, page or number, beside who they are.

-- name is what the provider last called them, so that a new name of theirs is followed only where nobody here gave the
-- contact another one. profile_at is when a job last went to ask for their name and picture; avatar_key tells one
-- picture from the next. unreachable_since: they blocked us or wrote STOP, and until they come back nothing is sent to
-- them from there.
create table channel_people (
  workspace_id id not null references workspaces,
  channel_account_id id not null,
  external_id text collate "C" not null,
  name text,
  profile_at moment,
  avatar_key text,
  unreachable_since moment,
  unreachable_reason text check (unreachable_reason in ('blocked', 'opted_out')),
  created_at moment not null,
  primary key (workspace_id, channel_account_id, external_id),
  foreign key (workspace_id, channel_account_id) references channel_accounts on delete cascade,
  check ((unreachable_since is null) = (unreachable_reason is null))
);

-- A contact's picture is a file like any other, that belongs to the contact and to no message; contacts.avatar_url is
-- its id, of which every answer makes a signed address.
alter table attachments
  add column contact_id id,
  add foreign key (workspace_id, contact_id) references contacts on delete set null (contact_id);
create index attachments_contact on attachments (workspace_id, contact_id) where contact_id is not null;
drop index attachments_unbound;
create index attachments_unbound on attachments (created_at) where message_id is null and contact_id is null;
