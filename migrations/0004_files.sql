-- Files: attachments whose content is kept, and those that wait for their message.

-- An attachment without a message is an upload that no message has taken yet, or one whose message is gone: it is
-- swept, with its file, after a day. `uploading`: its content is on the way to the store.
alter table attachments
  alter column message_id drop not null,
  -- Which actor may put it on a message (actorId); null for what came in.
  add column uploaded_by text,
  -- SHA-256 of a content that was at hand, by which the same file is known when a thread brings it again.
  add column content_hash bytea,
  -- Of a pending one: how often it was tried, when it is tried next, and what was wrong.
  add column tries integer not null default 0,
  add column not_before moment,
  add column failure text,
  drop constraint attachments_state_check,
  add constraint attachments_state_check check (state in ('uploading', 'stored', 'pending', 'inline', 'failed')),
  drop constraint attachments_workspace_id_message_id_fkey,
  add foreign key (workspace_id, message_id) references messages on delete set null (message_id);

-- A link to a file names the attachment alone, so an id may occur once.
create unique index attachments_id on attachments (id);

update attachments set not_before = created_at where state = 'pending';
drop index attachments_pending;
create index attachments_due on attachments (not_before) where state = 'pending';
create index attachments_unbound on attachments (created_at) where message_id is null;
