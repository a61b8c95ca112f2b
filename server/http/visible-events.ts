// Which events a person may be told of. Who sees only their own conversations hears of those, of what hangs on them, and
// of losing one; everything else is asked of the database as it is at that moment, once for many events and people.
import { sql } from 'kysely'
import type { Actor, Ctx } from '../ctx.ts'
import type { LiveEvent } from '../events/stream.ts'
import { confinedTo, may } from '../resources/roles/permissions.ts'

type Person = Actor & { type: 'agent' }
type Subject = Pick<LiveEvent, 'type' | 'conversationId' | 'contactId'> & { data?: Record<string, unknown> }
type Sees = (actor: Person, event: Subject) => boolean

/** Of neither a conversation nor a contact, and everybody's business. */
const FOR_ALL = /^(agent|tag|role|workspace|template)\./

/** What belongs to whom among the conversations and contacts of the events. */
const findOwned = async (
  { db, workspaceId }: Pick<Ctx, 'db' | 'workspaceId'>,
  events: readonly Subject[],
  owners: readonly string[],
): Promise<Set<string>> => {
  const idsOf = (pick: (event: Subject) => string | null) => [
    ...new Set(events.flatMap((event) => pick(event) ?? [])),
  ]
  const conversationIds = idsOf(({ conversationId }) => conversationId)
  const contactIds = idsOf(({ conversationId, contactId }) => (conversationId === null ? contactId : null))
  const { rows } = await sql<{ id: string; owner: string }>`
    select id, agent_id as owner from conversations
    where workspace_id = ${workspaceId} and id = any(${conversationIds}::text[]) and agent_id = any(${owners}::text[])
    union all
    select distinct contact_id, agent_id from conversations
    where workspace_id = ${workspaceId} and contact_id = any(${contactIds}::text[]) and agent_id = any(${owners}::text[])`.execute(
    db,
  )
  return new Set(rows.map(({ id, owner }) => `${owner} ${id}`))
}

/** Says for each of the people which of the events they may hear of. Nothing is asked where nobody is confined. */
export const makeSees = async (
  scope: Pick<Ctx, 'db' | 'workspaceId'>,
  events: readonly Subject[],
  people: readonly Person[],
): Promise<Sees> => {
  const owners = [...new Set(people.flatMap((actor) => confinedTo(actor) ?? []))]
  const owned = owners.length > 0 ? await findOwned(scope, events, owners) : new Set<string>()
  return (actor, { type, conversationId, contactId, data }) => {
    if (type.startsWith('broadcast.')) return may(actor, 'send_broadcasts')
    const owner = confinedTo(actor)
    if (owner === null) return true
    if (type === 'conversation.assigned' && data?.previousAgentId === owner) return true
    const subject = conversationId ?? contactId
    return subject === null ? FOR_ALL.test(type) : owned.has(`${owner} ${subject}`)
  }
}
