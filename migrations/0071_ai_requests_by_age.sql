-- Outside of a transaction.
create index concurrently if not exists ai_requests_kept on ai_requests (workspace_id, created_at);
alter table ai_settings validate constraint ai_settings_requests_kept_days_check;
