-- The note that a file belongs to, instead of a message.
alter table attachments add column note_id id;
alter table attachments add constraint attachments_workspace_id_note_id_fkey
  foreign key (workspace_id, note_id) references notes (workspace_id, id) on delete set null (note_id) not valid;
