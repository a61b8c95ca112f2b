-- Broadcasts: a WhatsApp template to many people, and how fast a number may send.

-- What was accepted, frozen, and how far it has come. total_count is who is to be sent to; whoever is left out (they
-- opted out, their number lacks the template) is in skipped_count instead, also when that is found out later. So
-- sent_count + failed_count reaches total_count when nothing is open any more, and the status follows from the counts.
create table broadcasts (
  workspace_id id not null references workspaces,
  id id not null,
  audience_type text not null check (audience_type in ('group', 'contacts', 'filter', 'recipients')),
  group_id id,
  group_name text,
  template_name text not null,
  template_language text not null,
  parameters jsonb not null default '[]',
  sender_type text not null check (sender_type in ('agent', 'automation')),
  sender_id text not null,
  total_count integer not null default 0,
  sent_count integer not null default 0,
  failed_count integer not null default 0,
  skipped_count integer not null default 0,
  status text not null generated always as (case
    when sent_count + failed_count < total_count then 'sending'
    when sent_count > 0 then 'completed'
    else 'failed' end) stored,
  -- When its progress was last announced live, which is done at most once a second.
  announced_at moment,
  created_at moment not null,
  primary key (workspace_id, id)
) with (fillfactor = 50);
create index broadcasts_sending on broadcasts (workspace_id, id) where status = 'sending';

-- The part of a broadcast that goes out from one number: the template as that number's business account had it, and
-- the message made of the default parameters. worked_at is when a worker last took recipients of it. While the number
-- itself is refused (a token that expired, a locked account) the part is paused: paused_since says from when on,
-- paused_until when it is tried again.
create table broadcast_parts (
  workspace_id id not null,
  broadcast_id id not null,
  channel_account_id id not null,
  definition jsonb not null,
  body text not null,
  components jsonb not null,
  worked_at moment not null,
  paused_since moment,
  paused_until moment,
  pauses integer not null default 0,
  pause_code text,
  pause_message text,
  primary key (workspace_id, broadcast_id, channel_account_id),
  foreign key (workspace_id, broadcast_id) references broadcasts on delete cascade,
  foreign key (workspace_id, channel_account_id) references channel_accounts
);

-- One person of a broadcast. The primary key is what makes the same person be sent to once. parameters is set where
-- the row brought values of its own.
--   pending      waits for its turn, not before not_before
--   sending      has a message whose delivery is under way
--   sent         the provider took it
--   failed       a definite no, at once or by its later word, or given up
--   unconfirmed  the call broke; only the provider's word or ten minutes settle it
--   skipped      left out, for the reason in error_code
create table broadcast_recipients (
  workspace_id id not null,
  broadcast_id id not null,
  contact_id id not null,
  channel_account_id id not null,
  outcome text not null
    check (outcome in ('pending', 'sending', 'sent', 'failed', 'unconfirmed', 'skipped')),
  not_before moment,
  message_id id,
  error_code text,
  error_message text,
  parameters jsonb,
  updated_at moment not null,
  primary key (workspace_id, broadcast_id, contact_id),
  foreign key (workspace_id, broadcast_id) references broadcasts on delete cascade
) with (fillfactor = 85);
create index broadcast_recipients_pending on broadcast_recipients
  (workspace_id, broadcast_id, channel_account_id, contact_id) where outcome = 'pending';
create unique index broadcast_recipients_message on broadcast_recipients (workspace_id, message_id)
  where message_id is not null;

-- A number's pace, shared by every process that sends from it: until when its sends are taken already.
create table channel_paces (
  workspace_id id not null,
  channel_account_id id not null,
  taken_until timestamptz not null,
  primary key (workspace_id, channel_account_id),
  foreign key (workspace_id, channel_account_id) references channel_accounts on delete cascade
) with (fillfactor = 50);
