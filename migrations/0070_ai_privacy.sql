-- What a model's provider is sent and how long exactly that is kept.
alter table ai_settings
  -- Email addresses and phone numbers are replaced before anything is sent.
  add column hides_contacts boolean not null default false,
  -- 0: requests are never stored.
  add column requests_kept_days smallint not null default 30;
alter table ai_settings
  add constraint ai_settings_requests_kept_days_check check (requests_kept_days between 0 and 365) not valid;
