-- One statement, so that the changes it replaces are those of the contacts it counts.
with replaced as (
  delete from contact_days
)
insert into contact_days (workspace_id, day, change, is_folded)
select workspace_id, day_of(last_activity_at), count(*), true from contacts group by 1, 2;
