-- A text that a person has the model rewrite before they send it.
alter table ai_turns
  drop constraint ai_turns_kind_check,
  add constraint ai_turns_kind_check check (kind in ('reply', 'draft', 'summary', 'rewrite')) not valid;
