-- Outside of a transaction.
-- Lists of conversations by channel account, and by the contact's language: their field of that name, or that of their
-- latest browser. See server/domain/conversations/rare-conversations.ts.
create index concurrently if not exists conversations_account on conversations (workspace_id, channel_account_id, id desc);
create index concurrently if not exists contacts_language
  on contacts (workspace_id, lower(split_part(replace(custom_fields ->> 'language', '_', '-'), '-', 1)))
  where custom_fields ? 'language';
create index concurrently if not exists visitors_language
  on visitors (workspace_id, lower(split_part(replace(locale, '_', '-'), '-', 1)), contact_id)
  where contact_id is not null and locale is not null;
