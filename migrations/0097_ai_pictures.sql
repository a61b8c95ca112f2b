-- Outside of a transaction.
-- Whether customers' pictures go along with what is sent to the model's provider.
alter table ai_settings add column if not exists sends_pictures boolean not null default false;
alter table ai_turns validate constraint ai_turns_kind_check;
