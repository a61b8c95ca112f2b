-- Outside of a transaction.

-- Without case and accents, as server/domain/search/plain-text.ts does. Most texts are ASCII, which is quick to see.
create or replace function plain_text(text text) returns text language sql immutable parallel safe as $$
  select case when octet_length(text) = char_length(text) then lower(text)
    else replace(regexp_replace(normalize(lower(text), nfd), '[\u0300-\u036f]', '', 'g'), 'ß', 'ss') end
$$;

-- The first three characters of an id are 25 days, so that a frequent word can be looked up in the newest ones first.
create index concurrently if not exists messages_search on messages using gin (workspace_id, left(id, 3), body gin_trgm_ops);
drop index concurrently if exists messages_body;

-- Contacts without accents, most of them, are not in it.
create index concurrently if not exists contact_search_plain
  on contact_search using gin (workspace_id, plain_text(text) gin_trgm_ops) where plain_text(text) <> text;

create index concurrently if not exists notes_search on notes using gin (workspace_id, plain_text(body) gin_trgm_ops);

create index concurrently if not exists attachments_search
  on attachments using gin (workspace_id, plain_text(name) gin_trgm_ops) where message_id is not null;
