-- Who asked for a sign-in code (a browser that signed in before, or an address), so that nobody uses up another's
-- allowance; and whether the mail had a code beside its link.
alter table sign_in_codes
  add column asker text not null default '',
  add column is_known_browser boolean not null default false,
  add column has_code boolean not null default true;

-- The workspace that an account was created in: while it is the person's only one, its admins may rename them.
alter table accounts add column created_in id references workspaces;

-- sessions_since: a removal ends what was signed in before it for good, also when the person is added again.
-- is_new: added to one more workspace, which the person has not seen yet. added_by: an account, or api:<token id>.
alter table memberships
  add column sessions_since moment,
  add column is_new boolean not null default false,
  add column added_by text;

-- Whom the web chat turns away: a contact, or an address as the rate limits count it (IPv6 by its /64). contact_id is
-- who it was blocked because of.
create table visitor_blocks (
  workspace_id id not null references workspaces,
  kind text not null check (kind in ('contact', 'address')),
  value text collate "C" not null,
  contact_id id not null,
  blocked_by text not null,
  created_at moment not null,
  primary key (workspace_id, kind, value)
);
create index visitor_blocks_contact on visitor_blocks (workspace_id, contact_id);

-- Where a visitor was last seen from, so that the address can be blocked.
alter table visitors add column address text;

-- What a workspace's people have uploaded, and how much that may be: 10 GiB unless the operator says otherwise.
alter table workspaces add column upload_quota_bytes bigint not null default 10737418240;
create table upload_usage (
  workspace_id id primary key references workspaces,
  bytes bigint not null
);
