// Reads the database beside Foyer: what is stored, when, and whose it is.
import { setTimeout as delay } from 'node:timers/promises'
import type { AgentName, Ledger } from './ledger.ts'
import { marksIn } from './ledger.ts'
import type { Place } from './place.ts'

const EVERY_MS = 200
const NEWEST = 100

type Row = {
  id: string
  conversation_id: string
  body: string
  sender_type: string
  agent_id: string | null
}

export type Open = {
  id: string
  channel: string
  status: 'open' | 'closed'
  assigned: AgentName | null
  isSnoozed: boolean
  /** Whether the customer wrote last. */
  isWaiting: boolean
}

/** Notes when each customer's message was stored, until told to stop. */
export const followDatabase = async (
  { db, nameOf }: Place,
  ledger: Ledger,
  isOver: () => boolean,
): Promise<void> => {
  const known = new Set<string>()
  while (!isOver()) {
    const { rows } = await db.query<Row>(
      `select m.id, m.conversation_id, m.body, m.sender_type, c.agent_id
      from messages m join conversations c on c.workspace_id = m.workspace_id and c.id = m.conversation_id
      where m.sender_type in ('customer', 'agent') order by m.id desc limit $1`,
      [NEWEST],
    )
    for (const { id, conversation_id, body, sender_type, agent_id } of rows.reverse()) {
      if (known.has(id)) continue
      known.add(id)
      const [mark] = marksIn(body)
      if (!mark) continue
      if (ledger.order.has(mark)) ledger.find('twice', `${mark} is stored twice`)
      ledger.order.set(mark, { place: known.size, conversationId: conversation_id, id })
      const written = ledger.written.get(mark)
      if (sender_type !== 'customer' || !written) continue
      written.storedMs = performance.now()
      written.id = id
      written.conversationId = conversation_id
      written.assigned = nameOf(agent_id)
    }
    await delay(EVERY_MS)
  }
}

export const listConversations = async ({ db, nameOf }: Place): Promise<Open[]> => {
  const { rows } = await db.query(
    `select id, channel, status, agent_id, snoozed_until is not null as is_snoozed,
      waiting_since is not null as is_waiting from conversations order by updated_at desc`,
  )
  return rows.map(({ id, channel, status, agent_id, is_snoozed, is_waiting }) => ({
    ...{ id, channel, status, assigned: nameOf(agent_id), isSnoozed: is_snoozed, isWaiting: is_waiting },
  }))
}

/** What a provider never confirmed says so after ten minutes. Deliveries, held messages and notifications that are still to be seen to. */
export const countPending = async ({ db }: Place): Promise<number> => {
  const { rows } = await db.query(
    `select (select count(*) from deliveries d join messages m on m.workspace_id = d.workspace_id and m.id = d.message_id
        where m.status = 'queued' and d.state <> 'unconfirmed')
      + (select count(*) from held_messages where problem is null)
      + (select count(*) from notification_inputs) as pending`,
  )
  return Number(rows[0].pending)
}
