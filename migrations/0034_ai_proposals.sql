-- Actions that the AI agent proposes. The customer or a person of the team confirms them; only then are they called.

create table ai_proposals (
  workspace_id id not null,
  id id not null,
  conversation_id id not null,
  -- In which it was proposed; buttons name it.
  turn_id id not null,
  action_id id not null,
  -- As it was shown to whoever confirms it.
  action_name text not null,
  parameters jsonb not null,
  -- Of the action as it was proposed: a changed one isn't called.
  fingerprint text not null,
  confirm text not null check (confirm in ('customer', 'person')),
  -- How well the customer was known.
  identity text not null check (identity in ('claimed', 'channel', 'verified')),
  -- In which the customer was asked.
  language text,
  -- unknown: nobody knows whether the call did anything.
  state text not null check (state in ('offered', 'confirmed', 'declined', 'expired', 'done', 'failed', 'unknown')),
  -- The contact's or the account's id, also of who declined.
  confirmed_by text,
  -- What the action's response said, of the fields that it keeps.
  kept jsonb,
  expires_at moment not null,
  created_at moment not null,
  ended_at moment,
  primary key (workspace_id, id),
  unique (workspace_id, turn_id),
  foreign key (workspace_id, conversation_id) references conversations on delete cascade,
  foreign key (workspace_id, turn_id) references ai_turns on delete cascade
);
create index ai_proposals_conversation on ai_proposals (workspace_id, conversation_id, id desc);

-- A call belongs to a run, which waits for it, or to a proposal.
alter table action_calls
  alter column run_id drop not null,
  alter column token drop not null,
  add column proposal_id id,
  add constraint action_calls_owner
    check (num_nonnulls(run_id, token) = case when proposal_id is null then 2 else 0 end) not valid;
