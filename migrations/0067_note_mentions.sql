-- When its author last changed a note; null if never.
alter table notes add column edited_at moment;

-- Teammates that a note mentions, and where in its body (UTF-16 units, as browsers count). The body itself is plain text.
create table note_mentions (
  workspace_id id not null,
  note_id id not null,
  position integer not null,
  length integer not null,
  account_id id not null references accounts (id),
  -- Whether they were notified: later changes of the note don't notify them again.
  is_announced boolean not null default false,
  primary key (workspace_id, note_id, position),
  foreign key (workspace_id, note_id) references notes (workspace_id, id) on delete cascade
);
create index note_mentions_account on note_mentions (workspace_id, account_id, note_id desc);
