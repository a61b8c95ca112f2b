-- Out of the inbox until then, or until the customer writes; the year 9999: only until they write. It is beside the
-- status, which stays open.
alter table conversations add column snoozed_until moment;
alter table conversations add column snoozed_by id;
-- 0 none, 1 low, 2 high, 3 urgent.
alter table conversations add column priority smallint not null default 0;
alter table conversations add constraint conversations_priority_check check (priority between 0 and 3) not valid;

-- Tags of conversations are apart from those of contacts.
create table conversation_tags (
  workspace_id id not null,
  conversation_id id not null,
  tag_id id not null,
  primary key (workspace_id, conversation_id, tag_id),
  foreign key (workspace_id, conversation_id) references conversations on delete cascade,
  foreign key (workspace_id, tag_id) references tags on delete cascade
);
create index conversation_tags_tag on conversation_tags (workspace_id, tag_id, conversation_id desc);

-- A filter of the inbox under a name. Without an owner it is the team's.
create table saved_views (
  workspace_id id not null references workspaces (id),
  id id not null,
  owner_id id references accounts (id),
  name text not null,
  filter jsonb not null,
  position integer not null,
  created_at moment not null,
  primary key (workspace_id, id)
);
