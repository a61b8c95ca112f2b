-- Which history of the database the events belong to: another begins when it is restored elsewhere, or when a standby
-- takes over that had not heard everything. A new table with one row: nothing else is locked.
create table event_epoch (
  is_only boolean primary key default true check (is_only),
  number bigint not null,
  system_identifier text,
  timeline text
);
insert into event_epoch (number) values (0);
