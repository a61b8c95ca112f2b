-- The AI agent: where it replies, and its turns.

-- No row is as good as one with the defaults.
create table ai_settings (
  workspace_id id not null references workspaces,
  -- The kill switch: what is assigned to it goes to people.
  is_stopped boolean not null default false,
  -- How it introduces itself; null: as the workspace's assistant.
  name text,
  -- Where it replies, and to whom: of each list one must hold, unless the list is empty.
  channels text[] not null default '{}',
  countries text[] not null default '{}',
  tag_ids text[] not null default '{}',
  languages text[] not null default '{}',
  hours text not null default 'always' check (hours in ('always', 'open', 'closed')),
  -- What customers read when they are handed over; null: our own words, with the business hours.
  expectation text,
  updated_by text not null,
  updated_at moment not null,
  primary key (workspace_id)
);

-- One row for each time that the agent has something to reply to. The conductor adds and ends turns; a worker claims
-- one that is due, and stores what it thought.
create table ai_turns (
  workspace_id id not null,
  id id not null,
  conversation_id id not null,
  state text not null check (state in ('waiting', 'thinking', 'thought', 'ended')),
  -- Raised when something newer came: what was thought of an older one is dropped.
  revision integer not null default 1,
  -- When the customer has stopped typing, presumably; at the latest some seconds after the first message.
  due_at moment not null,
  tries integer not null default 0,
  claimed_by text,
  claimed_at moment,
  -- What was asked, what was decided and from which items. The message is what the customer was sent.
  question text,
  decision jsonb,
  message_id id,
  outcome text check (outcome in ('answered', 'offered', 'asked', 'handed_over', 'silent', 'discarded')),
  created_at moment not null,
  ended_at moment,
  primary key (workspace_id, id),
  foreign key (workspace_id, conversation_id) references conversations on delete cascade
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
create unique index ai_turns_open on ai_turns (workspace_id, conversation_id) where state <> 'ended';
create index ai_turns_due on ai_turns (due_at) where state = 'waiting';
create index ai_turns_claimed on ai_turns (claimed_at) where state = 'thinking';
create index ai_turns_ended on ai_turns (ended_at) where state = 'ended';
create index ai_turns_conversation on ai_turns (workspace_id, conversation_id, id desc);

-- From now on the agent replies, so what customers write to it has to leave inputs.
update workspaces set is_automated = true
where not is_automated and exists (
  select from memberships m where m.workspace_id = workspaces.id and m.role = 'ai' and m.removed_at is null);
