-- What /readyz writes to, so that "ready" means that a write would succeed. One row, however many processes ask.
create table readiness_checks (
  id smallint primary key check (id = 1),
  checked_at timestamptz not null
) with (fillfactor = 20);
