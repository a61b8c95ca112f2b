// Which events a person may receive. Agents limited to their own conversations get events about those, about anything
// in them, and about losing one; everything else is checked in the current database, once for many events and people.
import { sql } from 'kysely'
import type { Actor } from '../platform/ctx/actor.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { confinedTo, may } from '../platform/ctx/permissions.ts'
import type { LiveEvent } from '../platform/live/replay.ts'

type Person = Actor & { type: 'agent' }
type Subject = Pick<LiveEvent, 'type' | 'conversationId' | 'contactId'> & { data?: Record<string, unknown> }
type Sees = (actor: Person, event: Subject) => boolean

/** Concerns neither a conversation nor a contact, and may be seen by everyone. */
const FOR_ALL = /^(agent|team|tag|role|workspace|template)\./

/** The owners of the events' conversations and contacts. */
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

/** For each person, which of the events they may receive. Runs no query if everyone may see everything. */
export const makeVisibility = async (
  scope: Pick<Ctx, 'db' | 'workspaceId'>,
  events: readonly Subject[],
  people: readonly Person[],
): Promise<Sees> => {
  const owners = [...new Set(people.flatMap((actor) => confinedTo(actor) ?? []))]
  const owned = owners.length > 0 ? await findOwned(scope, events, owners) : new Set<string>()
  return (actor, { type, conversationId, contactId, data }) => {
    if (type === 'agent.chimed')
      return Array.isArray(data?.agentIds) && data.agentIds.includes(actor.accountId)
    if (type.startsWith('broadcast.')) return may(actor, 'send_broadcasts')
    if (type === 'conversation.unread') return data?.accountId === actor.accountId
    const owner = confinedTo(actor)
    if (owner === null) return true
    if (type === 'conversation.assigned' && data?.previousAgentId === owner) return true
    const subject = conversationId ?? contactId
    return subject === null ? FOR_ALL.test(type) : owned.has(`${owner} ${subject}`)
  }
}
