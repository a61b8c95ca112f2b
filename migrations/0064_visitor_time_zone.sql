-- What agents see of a visitor: also what time it is there.
alter table visitors add column time_zone text;
