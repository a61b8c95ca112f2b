-- Each message moves its contact and conversation in the indexes by activity. What it leaves behind there goes with the
-- vacuum, which is due sooner than the default of a fifth of the table. See server/jobs/rebuild-indexes.ts.
alter table contacts set (autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0.05);
alter table conversations set (autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0.05);
