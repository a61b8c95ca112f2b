-- Messages are no jobs any more. What an earlier version left in the queue would stay there for good. A database that is
-- new has no queue yet.
do $$
begin
  if to_regclass('graphile_worker._private_tasks') is not null then
    delete from graphile_worker._private_jobs where task_id in (
      select id from graphile_worker._private_tasks where identifier = 'deliver_messages');
  end if;
end
$$;

-- Messages leave, and files are fetched, in turns by channel account. Null for what waited before, which takes turns as
-- one account.
alter table attachments add column channel_account_id id;

-- Which process has claimed it; see server/db/claimant.ts.
alter table deliveries add column claimed_by text;
alter table attachments add column claimed_by text;
