// What events are about, as the API shows it now: at most one statement for each kind of thing.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { seesAll, sightOf } from '../../platform/ctx/permissions.ts'
import { hasScope } from '../../platform/ctx/scopes.ts'
import { selected } from '../../platform/db/select-list.ts'
import type { Scope } from '../../platform/db/tables.ts'
import { listAgents } from '../agents/queries.ts'
import { findBroadcasts } from '../broadcasts/queries.ts'
import { CONTACT_ROW } from '../contacts/contact-row.ts'
import { findOwnContacts } from '../contacts/own-contacts-queries.ts'
import { NOTE } from '../contacts/profile-parts.ts'
import type { ContactRow, Note } from '../contacts/schema.ts'
import { findConversations } from '../conversations/list-conversations.ts'
import { findMessages } from '../conversations/thread-queries.ts'
import { listTags } from '../tags/queries.ts'
import { seenBy } from '../visible-conversations.ts'
import { isPublicType, PUBLIC_TYPES } from './catalogue.ts'
import type { ObjectKind } from './public-type.ts'

type Found = { id: string }
/** The kinds that an event names by id. */
type NamedKind = Exclude<ObjectKind, 'whatsappTemplate'>

const listContacts = async (ctx: Ctx, ids: readonly string[]): Promise<ContactRow[]> => {
  if (!seesAll(ctx.actor)) return findOwnContacts(ctx, ids)
  const { db, workspaceId } = ctx
  const { rows } = await sql<{ contact: ContactRow }>`
    select ${CONTACT_ROW} as contact from contacts c
    where c.workspace_id = ${workspaceId} and c.id = any (${ids}::text[])`.execute(db)
  return rows.map(({ contact }) => contact)
}

const listNotes = async ({ db, workspaceId, actor }: Ctx, ids: readonly string[]): Promise<Note[]> => {
  const isSeen = seesAll(actor)
    ? sql``
    : sql` and exists (select from conversations v
        where v.workspace_id = n.workspace_id and v.id = n.conversation_id${seenBy(actor, 'v')})`
  const { rows } = await sql<Note>`
    select ${selected(NOTE)} from notes n left join accounts a on a.id = n.author_id
    where n.workspace_id = ${workspaceId} and n.id = any (${ids}::text[])${isSeen}`.execute(db)
  return rows
}

/** What a token needs to read each kind of thing, as on the routes that return it. */
const READ_SCOPES: Record<ObjectKind, Scope> = {
  conversation: 'conversations:read',
  message: 'conversations:read',
  contact: 'contacts:read',
  note: 'contacts:read',
  tag: 'contacts:read',
  agent: 'agents:read',
  broadcast: 'broadcasts:read',
  whatsappTemplate: 'templates:read',
}

/** The scope that reading what events of this type are about needs; undefined if they are about nothing. */
export const objectScopeOf = (type: string): Scope | undefined => {
  const kind = isPublicType(type) ? PUBLIC_TYPES[type]!.object : null
  return kind === null ? undefined : READ_SCOPES[kind]
}

const mayRead = ({ actor }: Ctx, kind: ObjectKind): boolean =>
  hasScope(actor, READ_SCOPES[kind]) &&
  (kind !== 'broadcast' || (sightOf(actor).channels?.includes('whatsapp') ?? true))

const FINDERS: Record<NamedKind, (ctx: Ctx, ids: readonly string[]) => Promise<Found[]>> = {
  conversation: findConversations,
  message: findMessages,
  contact: listContacts,
  note: listNotes,
  broadcast: findBroadcasts,
  // There are few of these.
  agent: listAgents,
  tag: listTags,
}

/** What an event is about; null for nothing that can be read. */
const subjectOf = ({ type, data }: Named): { kind: NamedKind; id: string } | null => {
  const kind = isPublicType(type) ? PUBLIC_TYPES[type]!.object : null
  if (kind === null || kind === 'whatsappTemplate') return null
  const id = (data as Record<string, unknown>)[`${kind}Id`]
  return typeof id === 'string' ? { kind, id } : null
}

type Named = { id: string; type: string; data: object }

/** By the event's id; null for what no longer exists. An event about nothing that the actor may read has none. */
export const findObjects = async (ctx: Ctx, events: readonly Named[]): Promise<Map<string, Found | null>> => {
  const subjects = events.flatMap((event) => {
    const subject = subjectOf(event)
    return subject && mayRead(ctx, subject.kind) ? [{ eventId: event.id, ...subject }] : []
  })
  const objects = new Map<string, Found | null>()
  for (const [kind, some] of Map.groupBy(subjects, (subject) => subject.kind)) {
    const found = await FINDERS[kind](ctx, [...new Set(some.map(({ id }) => id))])
    const byId = new Map(found.map((object) => [object.id, object]))
    for (const { eventId, id } of some) objects.set(eventId, byId.get(id) ?? null)
  }
  return objects
}
