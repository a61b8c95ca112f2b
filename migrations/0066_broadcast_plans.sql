-- A broadcast's name, and what was decided about its time: not before scheduled_at, not while paused_at is set, not any more once
-- canceled_at is.
alter table broadcasts
  add column name text,
  add column scheduled_at moment,
  add column paused_at moment,
  add column canceled_at moment;
