-- People who share conversations. A conversation may have a team besides a person.
create table teams (
  workspace_id id not null references workspaces (id),
  id id not null,
  name text not null,
  -- The name without case, to tell names apart.
  name_key text not null,
  color text not null,
  -- Whether what comes to the team goes to its people by itself: in turn, or to whoever has the fewest.
  assignment text not null default 'off',
  -- How many open conversations a person may have to be given another. Null: any number.
  open_limit integer,
  -- When the customer writes again while their person is away, somebody else gets the conversation.
  reassigns_away boolean not null default false,
  -- Nobody is given anything outside of these, and they stop the clock of an answer. Null: always.
  hours_id id,
  -- Within how many minutes the customer is answered, first and later. Null: as the workspace has it.
  first_answer_minutes integer,
  next_answer_minutes integer,
  created_at moment not null,
  -- Closed conversations and reports keep its name.
  removed_at moment,
  primary key (workspace_id, id),
  foreign key (workspace_id, hours_id) references business_hours (workspace_id, id),
  constraint teams_assignment_check check (assignment in ('off', 'round_robin', 'least_busy')),
  constraint teams_open_limit_check check (open_limit > 0),
  constraint teams_minutes_check check (first_answer_minutes > 0 and next_answer_minutes > 0)
);
create unique index teams_name on teams (workspace_id, name_key) where removed_at is null;

create table team_members (
  workspace_id id not null,
  team_id id not null,
  account_id id not null,
  -- Who has the lowest is next.
  turn integer not null default 0,
  primary key (workspace_id, team_id, account_id),
  foreign key (workspace_id, team_id) references teams on delete cascade,
  foreign key (workspace_id, account_id) references memberships
);
create index team_members_account on team_members (workspace_id, account_id);

-- They are given nothing by itself while they are away.
alter table memberships add column is_away boolean not null default false;

-- Within how many minutes customers are answered, where their team says nothing else.
create table answer_targets (
  workspace_id id primary key references workspaces (id),
  first_answer_minutes integer,
  next_answer_minutes integer,
  -- They stop the clock. Null: it runs at all times.
  hours_id id,
  -- Whether a reply of the AI agent is an answer.
  ai_counts boolean not null default true,
  foreign key (workspace_id, hours_id) references business_hours (workspace_id, id),
  constraint answer_targets_minutes_check check (first_answer_minutes > 0 and next_answer_minutes > 0)
);

-- Raised by everything above, so that processes keep it in memory. Null: there are no teams and no targets.
alter table workspaces add column team_revision integer;

alter table conversations add column team_id id;
-- The customer waits for an answer that has a target.
alter table conversations add column wait_id id;
-- When that is missed. Null while it is paused.
alter table conversations add column answer_due_at moment;
alter table conversations add constraint conversations_team_fkey foreign key (workspace_id, team_id) references teams
  not valid;

-- Each time that a customer waited for an answer with a target.
create table waits (
  workspace_id id not null,
  id id not null,
  conversation_id id not null,
  -- Until somebody has answered in the conversation it is the first.
  kind text not null,
  -- Whose targets it has. Null: the workspace's.
  team_id id,
  started_at moment not null,
  due_at moment not null,
  -- While the conversation is snoozed, and how much time was left then, less than 0 if it was late.
  paused_at moment,
  left_seconds integer,
  -- When it was found to be late, which is said once.
  overdue_at moment,
  -- Answered, or closed without an answer.
  ended_at moment,
  answered_at moment,
  -- As a message's sender.
  answered_by text,
  primary key (workspace_id, id),
  foreign key (workspace_id, conversation_id) references conversations on delete cascade,
  constraint waits_kind_check check (kind in ('first', 'next'))
);
create index waits_conversation on waits (workspace_id, conversation_id);
create index waits_started on waits (workspace_id, started_at);
-- Of all workspaces, for what finds those that are late.
create index waits_due on waits (due_at) where ended_at is null and overdue_at is null and paused_at is null;

alter table notifications drop constraint notifications_kind_check;
alter table notifications add constraint notifications_kind_check
  check (kind in ('assigned', 'mentioned', 'message', 'unassigned', 'team', 'overdue')) not valid;
