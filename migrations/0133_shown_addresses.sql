-- Hashes of all addresses that were shown to be the visitor's in their own browser: the chat may go on at another one, and
-- what was written from an address that was not is still hidden.
alter table chat_emails add column shown_hashes text[] not null default '{}';
update chat_emails set shown_hashes = array[address_hash] where shown_at is not null and address_hash is not null;
