-- Which conversation changed late, so that whoever stores the days looks for the replies and closings after it, whose
-- waits begin elsewhere now. An insert of many messages does no more than note each hour once.
alter table report_late_hours add column conversation_id id;
alter table report_late_hours add column message_id id;

create or replace function note_late_message() returns trigger language plpgsql as $$
begin
  if not exists (select from report_late_hours
      where workspace_id = new.workspace_id and at = date_trunc('hour', new.created_at)
        and conversation_id = new.conversation_id and xmin = pg_current_xact_id()::xid) then
    insert into report_late_hours (workspace_id, at, conversation_id, message_id)
    values (new.workspace_id, date_trunc('hour', new.created_at), new.conversation_id, new.id);
  end if;
  return null;
end $$;
