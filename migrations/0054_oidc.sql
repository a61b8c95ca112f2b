-- Who is who at the identity provider that console sign-in uses: set at a person's first sign-in, so that a later change
-- of their email there doesn't move them to another account.
create table oidc_subjects (
  issuer text not null,
  subject text not null,
  account_id text not null references accounts (id),
  created_at timestamptz not null,
  primary key (issuer, subject),
  unique (account_id, issuer)
);

-- Callbacks of the provider that have been used, so that each works once. Kept as long as a sign-in may take.
create table oidc_used_states (
  hash bytea primary key,
  created_at timestamptz not null
);
create index oidc_used_states_by_age on oidc_used_states (created_at);
