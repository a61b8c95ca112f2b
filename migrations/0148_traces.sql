-- The trace (W3C traceparent) in which something was queued, so that what becomes of it shows up there. Empty unless traces
-- are on; see server/platform/tracing.ts.
alter table deliveries add column traceparent text;
alter table automation_inputs add column traceparent text;
