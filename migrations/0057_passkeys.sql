-- Passkeys of a person, for all of their workspaces.
create table passkeys (
  account_id id not null references accounts (id),
  id id not null,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at moment not null,
  last_used_at moment,
  primary key (account_id, id),
  unique (credential_id)
);

-- What authenticators know the account by.
alter table accounts add column passkey_handle bytea;

-- Only what is unused; each row is one code.
create table recovery_codes (
  account_id id not null references accounts (id),
  hash text not null,
  created_at moment not null,
  primary key (account_id, hash)
);

-- Sign-ins whose code or link was right, and which wait for a passkey or a recovery code.
create table pending_sign_ins (
  hash bytea primary key,
  account_id id not null references accounts (id),
  method text not null,
  tries integer not null default 0,
  expires_at moment not null,
  created_at moment not null
);
create index pending_sign_ins_by_account on pending_sign_ins (account_id);
create index pending_sign_ins_by_expiry on pending_sign_ins (expires_at);

-- What a browser was asked to sign. The owner is the hash of a pending sign-in, or of a session.
create table passkey_challenges (
  owner bytea primary key,
  challenge text not null,
  expires_at moment not null
);
create index passkey_challenges_by_expiry on passkey_challenges (expires_at);

-- What followed the code or the link, and when the person last confirmed that it is them.
alter table sessions add column second_factor text;
alter table sessions add column confirmed_at moment;
