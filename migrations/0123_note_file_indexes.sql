-- Outside of a transaction.
alter table attachments validate constraint attachments_workspace_id_note_id_fkey;
create index concurrently if not exists attachments_note on attachments (workspace_id, note_id, id) where note_id is not null;
-- Of what nothing uses; it takes the place of attachments_unbound, which has the files of notes, too.
create index concurrently if not exists attachments_unused on attachments (created_at)
  where message_id is null and contact_id is null and note_id is null;
drop index concurrently if exists attachments_unbound;
