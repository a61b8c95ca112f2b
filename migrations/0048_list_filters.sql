-- Outside of a transaction.

-- Which messages are failed now. A partial index of messages would name their status in its condition, and then every
-- delivery report would write to all indexes of messages. What the trigger adds and removes is the same set.
create table if not exists failed_messages (
  workspace_id id not null,
  message_id id not null,
  conversation_id id not null,
  primary key (workspace_id, message_id),
  foreign key (workspace_id, message_id) references messages (workspace_id, id) on delete cascade
);

create index if not exists failed_messages_conversation on failed_messages (workspace_id, conversation_id);

create or replace function keep_failed_messages() returns trigger language plpgsql as $$
begin if new.status = 'failed' then insert into failed_messages values (new.workspace_id, new.id, new.conversation_id) on conflict do nothing; else delete from failed_messages where workspace_id = new.workspace_id and message_id = new.id; end if; return null; end
$$;

create or replace trigger failed_messages_insert after insert on messages
  for each row when (new.status = 'failed') execute function keep_failed_messages();

create or replace trigger failed_messages_update after update of status on messages
  for each row when (old.status is distinct from new.status and 'failed' in (old.status, new.status))
  execute function keep_failed_messages();

-- A message that is sent again in the meantime may stay here; readers look at its status.
insert into failed_messages select workspace_id, id, conversation_id from messages where status = 'failed'
  on conflict do nothing;

-- Contacts without custom fields, most of them, are not in it.
create index concurrently if not exists contacts_custom_fields
  on contacts using gin (workspace_id, custom_fields jsonb_path_ops) where custom_fields <> '{}'::jsonb;
