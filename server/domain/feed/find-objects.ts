// What events are about, as the API shows it now: one statement for each kind of thing, and two for templates.
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
import { NOTE, type NoteRow, toNote } from '../contacts/profile-parts.ts'
import type { ContactRow, Note } from '../contacts/schema.ts'
import { findConversations } from '../conversations/list-conversations.ts'
import { findMessages } from '../conversations/thread-queries.ts'
import { listTags } from '../tags/queries.ts'
import { listStoredTemplates } from '../templates/list-templates.ts'
import { seenBy } from '../visible-conversations.ts'
import { isPublicType, PUBLIC_TYPES } from './catalogue.ts'
import type { ObjectKind } from './public-type.ts'

type Found = Record<string, unknown>

const listContacts = async (ctx: Ctx, ids: readonly string[]): Promise<ContactRow[]> => {
  if (!seesAll(ctx.actor)) return findOwnContacts(ctx, ids)
  const { db, workspaceId } = ctx
  const { rows } = await sql<{ contact: ContactRow }>`
    select ${CONTACT_ROW} as contact from contacts c
    where c.workspace_id = ${workspaceId} and c.id = any (${ids}::text[])`.execute(db)
  return rows.map(({ contact }) => contact)
}

const listNotes = async (ctx: Ctx, ids: readonly string[]): Promise<Note[]> => {
  const { db, workspaceId, actor } = ctx
  const isSeen = seesAll(actor)
    ? sql``
    : sql` and exists (select from conversations v
        where v.workspace_id = n.workspace_id and v.id = n.conversation_id${seenBy(actor, 'v')})`
  const { rows } = await sql<NoteRow>`
    select ${selected(NOTE)} from notes n left join accounts a on a.id = n.author_id
    where n.workspace_id = ${workspaceId} and n.id = any (${ids}::text[])${isSeen}`.execute(db)
  return rows.map((row) => toNote(ctx, row))
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
  (!['broadcast', 'whatsappTemplate'].includes(kind) ||
    (sightOf(actor).channels?.includes('whatsapp') ?? true))

const FINDERS: Record<ObjectKind, (ctx: Ctx, keys: readonly string[]) => Promise<Found[]>> = {
  conversation: findConversations,
  message: findMessages,
  contact: listContacts,
  note: listNotes,
  broadcast: findBroadcasts,
  // There are few of these.
  agent: listAgents,
  tag: listTags,
  whatsappTemplate: listStoredTemplates,
}

/** A template has no id of its own. */
const keyOf = (kind: ObjectKind, { id, name, language }: Found): string =>
  kind === 'whatsappTemplate' ? `${name}\n${language}` : String(id)

/** What an event is about; null for nothing. */
const subjectOf = ({ type, data }: Named): { kind: ObjectKind; key: string } | null => {
  const kind = isPublicType(type) ? PUBLIC_TYPES[type]!.object : null
  if (kind === null) return null
  const named = data as Record<string, unknown>
  return { kind, key: keyOf(kind, { ...named, id: named[`${kind}Id`] }) }
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
    const found = await FINDERS[kind](ctx, [...new Set(some.map(({ key }) => key))])
    const byKey = new Map(found.map((object) => [keyOf(kind, object), object]))
    for (const { eventId, key } of some) objects.set(eventId, byKey.get(key) ?? null)
  }
  return objects
}
