-- How much of a wait counted until it ended: within the target's business hours, without what was snoozed. Null while it
-- runs, and until it was worked out.
alter table waits add column counted_seconds integer;
-- How much of it passed in snoozes that are over, within business hours.
alter table waits add column paused_seconds integer not null default 0;

-- What the stored days hold. From 2 on also how many replies were within their targets.
alter table report_states add column edition smallint not null default 1;
