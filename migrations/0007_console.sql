-- The console: signing in, who is signed in, and what its inbox counts.

-- A one-time code on its way to an email. Bound to the browser that asked for it (a cookie, of which only the hash is
-- here). A row is written for every request, whoever's the email is: the job that sends the code finds out, and only
-- then are account and code known. code_hash is signed with the server's key, so that six digits cannot be tried out
-- on a copy of the table.
create table sign_in_codes (
  browser_hash bytea primary key,
  email text not null,
  account_id id references accounts on delete cascade,
  code_hash text,
  tries smallint not null default 0,
  used_at moment,
  expires_at moment not null,
  created_at moment not null
);
create index sign_in_codes_email on sign_in_codes (email, created_at);
create index sign_in_codes_created on sign_in_codes (created_at);

-- Who is signed in. The cookie holds the secret, this table its hash.
create table sessions (
  hash bytea primary key,
  account_id id not null references accounts on delete cascade,
  created_at moment not null,
  seen_at moment not null
);
create index sessions_account on sessions (account_id);
create index sessions_seen on sessions (seen_at);

-- Conversations with something that nobody has read yet.
create index conversations_unread on conversations (workspace_id, updated_at desc, id desc) where unread_count > 0;
create index conversations_agent_unread on conversations (workspace_id, agent_id, updated_at desc, id desc)
  where unread_count > 0 and agent_id is not null;

-- What keeps a channel account from working at present, as {code, message, since}; null when nothing is known to.
alter table channel_accounts add column problem jsonb;
