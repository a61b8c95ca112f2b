-- Outside of a transaction.
create index concurrently if not exists broadcasts_header on broadcasts (workspace_id, header_attachment_id)
  where header_attachment_id is not null;
