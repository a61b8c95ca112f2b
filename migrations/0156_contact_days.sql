-- How many contacts had their latest activity on each day (UTC; -infinity: never), so that a page far into the directory
-- is found without reading those before it. A row is a change, so that nobody waits for it; the sum counts. A job folds
-- the changes of a day into one row.
create table contact_days (
  workspace_id id not null,
  day date not null,
  change integer not null,
  is_folded boolean not null default false
);
create index contact_days_workspace on contact_days (workspace_id, day) include (change);
create index contact_days_unfolded on contact_days (workspace_id, day) where not is_folded;

create function day_of(activity timestamptz) returns date language sql immutable parallel safe return
  coalesce((activity at time zone 'UTC')::date, '-infinity');

create function add_contact_days() returns trigger language plpgsql as $$
begin
  insert into contact_days (workspace_id, day, change)
  select workspace_id, day_of(last_activity_at), count(*) from added group by 1, 2;
  return null;
end $$;

create function remove_contact_days() returns trigger language plpgsql as $$
begin
  insert into contact_days (workspace_id, day, change)
  select workspace_id, day_of(last_activity_at), -count(*) from removed group by 1, 2;
  return null;
end $$;

create function move_contact_days() returns trigger language plpgsql as $$
begin
  insert into contact_days (workspace_id, day, change) values
    (old.workspace_id, day_of(old.last_activity_at), -1), (new.workspace_id, day_of(new.last_activity_at), 1);
  return null;
end $$;

create trigger contact_days_insert after insert on contacts
  referencing new table as added for each statement execute function add_contact_days();
create trigger contact_days_delete after delete on contacts
  referencing old table as removed for each statement execute function remove_contact_days();
create trigger contact_days_update after update of last_activity_at on contacts
  for each row when (day_of(old.last_activity_at) <> day_of(new.last_activity_at))
  execute function move_contact_days();
