-- Workspaces that are closed because they are moved to another database, or were; docs/decisions/0110 explains the
-- states. A new table: nothing else is locked.
create table workspace_moves (
  workspace_id id primary key,
  -- The same in both databases.
  move_id id not null,
  state text not null check (state in ('closing', 'closed', 'moved', 'arriving')),
  -- The database, without its password, and the address of the installation there, if the operator gave one.
  moved_to text,
  url text,
  has_own_files boolean not null default false,
  -- Jobs that were taken out of the queue.
  jobs jsonb not null default '[]',
  begun_at moment not null,
  moved_at moment
);

-- For the triggers that a closed workspace has on every table, with its id as their argument. What works on all
-- workspaces at once leaves the rows of a closed one as they are ('skip'), except that what is too old may go once it
-- was moved; only the command that moves or deletes it may write ('write').
create function refuse_closed() returns trigger language plpgsql as $$
declare
  mode text := current_setting('foyer.closed', true);
begin
  if mode = 'write' then
    return coalesce(new, old);
  end if;
  if mode = 'skip' then
    if tg_op = 'DELETE' and exists (
      select from workspace_moves where workspace_id = tg_argv[0] and state = 'moved'
    ) then
      return old;
    end if;
    return null;
  end if;
  raise exception 'the workspace is closed while it is moved' using errcode = 'FY001';
end $$;

-- The rows that these triggers make are copied with the workspace, and making them twice would take most of the time.
create or replace function keep_contact_search() returns trigger language plpgsql as $$
begin
  if current_setting('foyer.copying', true) = 'on' then return null; end if;
  insert into contact_search (workspace_id, contact_id, text, phone)
  values (new.workspace_id, new.id, new.search_text, new.phone)
  on conflict (workspace_id, contact_id) do update set text = excluded.text, phone = excluded.phone;
  return null;
end $$;

create or replace function keep_failed_messages() returns trigger language plpgsql as $$
begin
  if current_setting('foyer.copying', true) = 'on' then return null; end if;
  if new.status = 'failed' then
    insert into failed_messages values (new.workspace_id, new.id, new.conversation_id) on conflict do nothing;
  else
    delete from failed_messages where workspace_id = new.workspace_id and message_id = new.id;
  end if;
  return null;
end $$;

create or replace function note_late_message() returns trigger language plpgsql as $$
begin
  if current_setting('foyer.copying', true) = 'on' then return null; end if;
  if not exists (select from report_late_hours
      where workspace_id = new.workspace_id and at = date_trunc('hour', new.created_at)
        and conversation_id = new.conversation_id and xmin = pg_current_xact_id()::xid) then
    insert into report_late_hours (workspace_id, at, conversation_id, message_id)
    values (new.workspace_id, date_trunc('hour', new.created_at), new.conversation_id, new.id);
  end if;
  return null;
end $$;
