-- Outside of a transaction.

-- A proposal is called once.
create unique index concurrently if not exists action_calls_proposal on action_calls (workspace_id, proposal_id)
  where proposal_id is not null;

alter table action_calls validate constraint action_calls_owner;
