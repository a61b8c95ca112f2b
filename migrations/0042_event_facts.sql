-- Who did it, as recordedActor writes it, and the X-Request-Id of the call that did it: null for background work. Both
-- are null for what was recorded before.
alter table events
  add column actor text,
  add column request_id text;
