-- What a token may be used for, on which channels, until when and from where, and the secret before the last rotation.
-- See docs/decisions/0049-token-scopes.md.
alter table api_tokens
  add column scopes text[] not null default '{full}',
  add column channels text[],
  add column expires_at moment,
  add column allowed_addresses text[],
  add column previous_hash bytea,
  add column previous_until moment,
  add constraint api_tokens_previous check ((previous_hash is null) = (previous_until is null));
create unique index api_tokens_previous_hash on api_tokens (previous_hash) where previous_hash is not null;
