-- The trace in which an event was recorded and a turn of the AI agent became due, as in 0148. Empty unless traces are on.
alter table events add column traceparent text;
alter table feed add column traceparent text;
alter table ai_turns add column traceparent text;
