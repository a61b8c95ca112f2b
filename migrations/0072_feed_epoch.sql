-- Numbers of events begin again at an earlier one when the database is restored: which history an event was numbered in.
-- Null for those from before.
alter table feed add column epoch bigint;
