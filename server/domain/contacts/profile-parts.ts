// What the profile of a contact `c` shows: each field defined once, for full profiles and for those of agents who see
// only their own conversations.
import { expressionBuilder, type Nullable, type RawBuilder, sql } from 'kysely'
import { jsonBuildObject } from 'kysely/helpers/postgres'
import { momentText, type RowOf, selected } from '../../platform/db/select-list.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { fileUrl, type Links } from '../../platform/files/links.ts'
import { ATTACHMENT, type AttachmentRow, toAttachment } from '../attachments/attachment-json.ts'
import type { Tag } from '../tags/schema.ts'
import { type Activity, EMAIL_VERIFIED } from './contact-row.ts'
import type { Contact, ContactProfile, Note } from './schema.ts'

/** The profile shows the newest of each. */
const NOTES_SHOWN_MAX = 500
const FLOWS_SHOWN_MAX = 100

const contact = expressionBuilder<{ c: Tables['contacts'] }, 'c'>()
const note = expressionBuilder<{ n: Tables['notes']; a: Nullable<Tables['accounts']> }, 'n' | 'a'>()
const run = expressionBuilder<{ f: Tables['flow_runs'] }, 'f'>()

/** The author of the note `n`: the account `a`, a flow, or else the API. */
export const NOTE_AGENT = jsonBuildObject({
  id: note.ref('n.author_id'),
  nickname: sql<string>`coalesce(${note.ref('a.nickname')},
    case when starts_with(${note.ref('n.author_id')}, 'flow:') then coalesce(
      (select name from flows where workspace_id = n.workspace_id and 'flow:' || id = n.author_id), 'Automation')
    else 'API' end)`,
})

/** A note `n` whose author is the account `a`, if it is one. */
export const NOTE = {
  id: note.ref('n.id'),
  body: note.ref('n.body'),
  createdAt: momentText(note.ref('n.created_at')),
  agent: NOTE_AGENT,
  attachments: sql<AttachmentRow[]>`(select coalesce(json_agg(${ATTACHMENT} order by f.id), '[]'::json)
    from attachments f where f.workspace_id = n.workspace_id and f.note_id = n.id)`,
}
export type NoteRow = RowOf<typeof NOTE>

export const toNote = (links: Links, { attachments, ...row }: NoteRow): Note => ({
  ...row,
  attachments: attachments.map((one) => toAttachment(links, one)),
})

const RUN = {
  runId: run.ref('f.id'),
  flowId: run.ref('f.flow_id'),
  flowName: run.ref('f.flow_name'),
  conversationId: run.ref('f.conversation_id'),
  status: run.ref('f.status'),
  startedAt: momentText(run.ref('f.started_at')),
  completedAt: momentText(run.ref('f.completed_at')),
}

/** With what readers get links to. */
export type ProfileRow = Omit<ContactProfile, 'notes'> & { notes: NoteRow[] }

type Counted = Pick<Activity, 'channels' | 'conversationCount' | 'openCount'>

/** The select list. `isShown` is an extra condition on a run `f` or a note `n`. */
export const profileColumns = (
  { channels, conversationCount, openCount }: Counted,
  isShown: (alias: 'f' | 'n') => RawBuilder<unknown>,
): RawBuilder<ProfileRow> =>
  selected({
    contact: jsonBuildObject({
      id: contact.ref('c.id'),
      name: contact.ref('c.name'),
      email: contact.ref('c.email'),
      emailVerified: EMAIL_VERIFIED,
      phone: contact.ref('c.phone'),
      countryIso: contact.ref('c.country_iso'),
      avatarUrl: contact.ref('c.avatar_url'),
      channels,
      conversationCount,
      openCount,
      firstContactAt: momentText(contact.ref('c.created_at')),
      customFields: contact.ref('c.custom_fields'),
      tags: sql<Tag[]>`(select coalesce(json_agg(t), '[]') from (
        select t.id, t.name, t.color from contact_tags g
        join tags t on t.workspace_id = g.workspace_id and t.id = g.tag_id
        where g.workspace_id = c.workspace_id and g.contact_id = c.id
        order by t.name_key) t)`,
      externalId: sql<string | null>`(select i.value from identities i
        where i.workspace_id = c.workspace_id and i.contact_id = c.id and i.kind = 'external'
        order by i.created_at, i.value limit 1)`,
      identities: sql<Contact['identities']>`(select coalesce(json_agg(i), '[]') from (
        select i.kind, i.value, i.verified and (i.kind <> 'email' or i.confirmed) as verified from identities i
        where i.workspace_id = c.workspace_id and i.contact_id = c.id and i.kind not in ('external', 'visitor')
        order by i.kind, i.value) i)`,
    }),
    flows: sql<RowOf<typeof RUN>[]>`(select coalesce(json_agg(r), '[]') from (
      select ${selected(RUN)} from flow_runs f
      where f.workspace_id = c.workspace_id and f.contact_id = c.id and ${isShown('f')}
      order by f.started_at desc, f.id desc limit ${FLOWS_SHOWN_MAX}
    ) r)`,
    notes: sql<NoteRow[]>`(select coalesce(json_agg(r), '[]') from (
      select ${selected(NOTE)} from notes n left join accounts a on a.id = n.author_id
      where n.workspace_id = c.workspace_id and n.contact_id = c.id and ${isShown('n')}
      order by n.id desc limit ${NOTES_SHOWN_MAX}
    ) r)`,
  })

/** The row has the ids of files; readers get links to them. */
export const withLinks = (links: Links, { contact, notes, ...rest }: ProfileRow): ContactProfile => ({
  ...rest,
  contact: { ...contact, avatarUrl: contact.avatarUrl && fileUrl(links, contact.avatarUrl) },
  notes: notes.map((row) => toNote(links, row)),
})
