-- Outside of a transaction.
-- Whether a file's content is also that of an attachment elsewhere, before it is removed.
create index concurrently if not exists attachments_key on attachments (workspace_id, storage_key)
  where storage_key is not null;
