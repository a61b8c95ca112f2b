-- The console: what people see and change in it.

-- What keeps a channel account from working at present, as {code, message, since}; null when nothing is known to.
alter table channel_accounts add column problem jsonb;
