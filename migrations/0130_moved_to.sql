-- Where the data of this database was moved to; see server/process/move-database.ts.
alter table event_epoch add column moved_to text;
