// Who spoke when, as the database saw it: a trigger numbers each message and each claim of an automated one, while the
// transaction holds the lock that orders it among the others of its conversation.
import { sql } from 'kysely'
import type { Db } from '../../server/platform/db/pool.ts'

export const keepSpeechLog = async (db: Db): Promise<void> => {
  await sql`create table speech_log (
    seq bigserial primary key, kind text not null, conversation_id text not null, message_id text, body text,
    epoch integer)`.execute(db)
  await sql`create index on speech_log (conversation_id, seq)`.execute(db)
  await sql`create function log_message() returns trigger language plpgsql as $$
    begin
      insert into speech_log (kind, conversation_id, message_id, body, epoch)
      values (case when new.sender_type <> 'agent' or starts_with(new.sender_id, 'api:') then new.sender_type
          when new.sender_id in (select id from accounts where is_ai) then 'automation'
          else 'person' end,
        new.conversation_id, new.id, new.body,
        coalesce((select epoch from automation_states where workspace_id = new.workspace_id
          and conversation_id = new.conversation_id), 0));
      return null;
    end $$`.execute(db)
  await sql`create trigger log_message after insert on messages for each row
    when (new.sender_type <> 'system') execute function log_message()`.execute(db)
  await sql`create function log_claim() returns trigger language plpgsql as $$
    begin
      insert into speech_log (kind, conversation_id, message_id, epoch)
      values ('claim', new.conversation_id, new.message_id, new.only_if_epoch);
      return null;
    end $$`.execute(db)
  await sql`create trigger log_claim after update on deliveries for each row
    when (new.state = 'sending' and old.state <> 'sending' and new.only_if_epoch is not null)
    execute function log_claim()`.execute(db)
  await sql`create function log_resumed() returns trigger language plpgsql as $$
    begin
      insert into speech_log (kind, conversation_id) values ('resumed', new.conversation_id);
      return null;
    end $$`.execute(db)
  await sql`create trigger log_resumed after update on automation_states for each row
    when (old.paused_at is not null and new.paused_at is null) execute function log_resumed()`.execute(db)
}

/** A reply that a person can still undo counts from when it is held to when it is sent, undone or refused. */
export const keepHoldLog = async (db: Db): Promise<void> => {
  await sql`create function log_hold() returns trigger language plpgsql as $$
    begin
      insert into speech_log (kind, conversation_id)
      select case tg_op when 'INSERT' then 'held' else 'settled' end, h.conversation_id
      from (select (case tg_op when 'DELETE' then old else new end).conversation_id) h;
      return null;
    end $$`.execute(db)
  await sql`create trigger log_held after insert on held_messages for each row execute function log_hold()`.execute(
    db,
  )
  await sql`create trigger log_refused after update on held_messages for each row
    when (old.problem is null and new.problem is not null) execute function log_hold()`.execute(db)
  await sql`create trigger log_settled after delete on held_messages for each row
    when (old.problem is null) execute function log_hold()`.execute(db)
}

type Offence = { conversationId: string; body: string | null }

/** Automated messages that were claimed after a person's message was stored that had overtaken them. */
export const listLateClaims = async (db: Db): Promise<Offence[]> => {
  const { rows } = await sql<Offence>`
    select c.conversation_id as "conversationId", m.body from speech_log c
    left join messages m on m.id = c.message_id
    where c.kind = 'claim' and exists (select from speech_log p
      where p.conversation_id = c.conversation_id and p.kind = 'person' and p.seq < c.seq and p.epoch > c.epoch)`.execute(
    db,
  )
  return rows
}

/** Automated messages stored after a person's, although nobody gave the conversation back. */
export const listInterjections = async (db: Db): Promise<Offence[]> => {
  const { rows } = await sql<Offence>`
    select a.conversation_id as "conversationId", a.body from speech_log a
    where a.kind = 'automation' and (select b.kind from speech_log b
      where b.conversation_id = a.conversation_id and b.kind in ('person', 'resumed') and b.seq < a.seq
      order by b.seq desc limit 1) = 'person'`.execute(db)
  return rows
}

/** Automated messages stored while a person's reply was held. */
export const listOvertaking = async (db: Db): Promise<Offence[]> => {
  const { rows } = await sql<Offence>`
    select a.conversation_id as "conversationId", a.body from speech_log a
    where a.kind = 'automation' and (
      select count(*) filter (where b.kind = 'held') > count(*) filter (where b.kind = 'settled') from speech_log b
      where b.conversation_id = a.conversation_id and b.seq < a.seq)`.execute(db)
  return rows
}
