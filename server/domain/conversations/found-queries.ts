// What the console's search shows of what it found, and how frequent a word is.
import { type RawBuilder, sql } from 'kysely'
import { personId } from '../../platform/ctx/actor.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { sightOf } from '../../platform/ctx/permissions.ts'
import { idFloor } from '../../platform/db/id.ts'
import { decode, runText, sqlText } from '../../platform/db/json-text.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { SearchTerm } from '../contacts/search-terms.ts'
import { makeSnippet } from '../search/snippet.ts'
import { seenBy } from '../visible-conversations.ts'
import { INBOX_ROW } from './conversation-json.ts'
import { findAllText } from './conversation-rows.ts'
import type { Found, FoundElsewhere } from './inbox-schema.ts'
import { type Hit, inPlain, inText, TERMS } from './inbox-search-queries.ts'

/** The columns of a list of terms, as statements unnest them. */
export const termParameters = (terms: readonly SearchTerm[]): (string | null)[][] => [
  terms.map(({ typed }) => typed),
  terms.map(({ other }) => other),
  terms.map(({ plain }) => plain),
  terms.map(({ expression }) => expression),
]

type Match = {
  conversationId: string
  kind: NonNullable<Found['match']>['kind']
  entryId: string | null
  body: string
}

/** In a longer thread only its newest messages are read for the snippet. */
const READ_MAX = 1_000
const BODY_MAX = 20_000

const scored = (kind: string, entryId: string, body: string, contains: string, from: string): string => `
  select '${kind}' as kind, ${entryId} as entry_id, ${body} as body,
    (select count(*) from ${TERMS(3)} where ${contains}) as score
  from ${from}`

/** $1 the workspace, $2 the conversations, $3 to $6 the terms. The text with most of the terms, and of those the newest. */
const MATCHES = sqlText<Match>(`
select c.id as "conversationId", b.kind, b.entry_id as "entryId", left(b.body, ${BODY_MAX}) as body
from conversations c
cross join lateral (
  select * from (
    ${scored('message', 'm.id', 'm.body', inText('m.body'), `(select id, body from messages where workspace_id = $1 and conversation_id = c.id and sender_type <> 'system' order by id desc limit ${READ_MAX}) m`)}
    union all
    ${scored('note', 'n.id', 'n.body', inPlain('n.body'), `(select id, body from notes where workspace_id = $1 and conversation_id = c.id order by id desc limit ${READ_MAX}) n`)}
    union all
    ${scored('file', 'f.message_id', 'f.name', inPlain('f.name'), `(select id from messages where workspace_id = $1 and conversation_id = c.id order by id desc limit ${READ_MAX}) m join attachments f on f.workspace_id = $1 and f.message_id = m.id`)}
    union all
    ${scored('subject', 'null', 'c.subject', inText('c.subject'), '(select where c.subject is not null) s')}
    union all
    ${scored('contact', 'null', 's.text', inPlain('s.text'), "(select concat_ws(' · ', name, email, phone, username) as text from contacts where workspace_id = $1 and id = c.contact_id) s")}
    union all
    ${scored('contact', 'null', 'i.value', inPlain('i.value'), "(select value from identities where workspace_id = $1 and contact_id = c.contact_id and kind = 'email') i")}
    union all
    ${scored('tag', 'null', 'g.name', inPlain('g.name'), 'contact_tags x join tags g on g.workspace_id = $1 and g.id = x.tag_id where x.workspace_id = $1 and x.contact_id = c.contact_id')}
    union all
    ${scored('hiddenText', 'h.message_id', 'h.text', inText('h.text'), '(select message_id, text from email_hidden_texts where workspace_id = $1 and conversation_id = c.id) h')}
  ) s where s.score > 0
  order by s.score desc, array_position(array['message', 'note', 'file', 'subject', 'contact', 'tag', 'hiddenText'], s.kind), s.entry_id desc
  limit 1
) b
where c.workspace_id = $1 and c.id = any ($2::text[])`)

const ROWS = findAllText(INBOX_ROW)

/** The rows of what was found, in its order; what the actor may not see (any more) is left out. */
export const listFound = async (
  { db, workspaceId, actor }: Ctx,
  hits: readonly Hit[],
  terms: readonly SearchTerm[],
): Promise<Found[]> => {
  if (hits.length === 0) return []
  const ids = hits.map(({ id }) => id)
  const { agentId, channels } = sightOf(actor)
  const [rows, matches] = await Promise.all([
    runText(db, ROWS, [workspaceId, ids, agentId, channels, personId(actor)]),
    runText(db, MATCHES, [workspaceId, ids, ...termParameters(terms)]),
  ])
  const rowOf = new Map(rows.map(({ json }) => decode(json)).map((row) => [row.id, row]))
  const matchOf = new Map(matches.map((match) => [match.conversationId, match]))
  const expressions = terms.map(({ marked }) => marked)
  return ids.flatMap((id): Found[] => {
    const conversation = rowOf.get(id)
    const match = matchOf.get(id)
    if (!conversation) return []
    if (!match) return [{ conversation, match: null }]
    const { kind, entryId, body } = match
    return [{ conversation, match: { kind, entryId, ...makeSnippet(body, expressions) } }]
  })
}

/** The time of an id is in the characters after the first: three of them are 25 days. */
const BUCKET_LENGTH = 3
const digitsOf = (id: string): number => Number.parseInt(id.slice(1, BUCKET_LENGTH), 36)
const bucketOf = (digits: number): string => `c${digits.toString(36).padStart(BUCKET_LENGTH - 1, '0')}`

/** How the ids of the workspace's messages begin, newest first. */
export const listBuckets = async ({ db, workspaceId, now }: Ctx): Promise<string[]> => {
  const { rows } = await sql<{ first: string | null }>`
    select min(id) as first from messages where workspace_id = ${workspaceId}`.execute(db)
  const newest = digitsOf(idFloor(now().getTime()))
  const oldest = digitsOf(rows[0]?.first ?? bucketOf(newest))
  return Array.from({ length: Math.max(newest - oldest + 1, 1) }, (_, n) => bucketOf(newest - n))
}

/** A term that so many messages of one bucket have is frequent. */
export const OFTEN = 400

/** In all messages, and in the newest bucket that is over, up to OFTEN. */
export type Estimate = { all: number; newest: number }

/**
 * How many messages have each term, by what three of the buckets have. The other two are not counted for a term that is
 * frequent in the newest.
 */
export const estimateMessages = async (
  db: Db,
  workspaceId: string,
  terms: readonly SearchTerm[],
  buckets: readonly string[],
): Promise<Estimate[]> => {
  const { length } = buckets
  const sample = [...new Set([Math.min(1, length - 1), Math.floor(length / 2), length - 1])]
  const counted = (sampled: number[], condition: RawBuilder<unknown>) => sql`
    select coalesce(sum(c.count), 0)::integer as count from unnest(${sampled.map((n) => buckets[n]!)}::text[]) b(bucket)
    cross join lateral (${countIn(workspaceId)}) c where ${condition}`
  const { rows } = await sql<{ newest: number; others: number }>`
    select a.count as newest, o.count as others
    from unnest(${terms.map(({ typed }) => typed)}::text[], ${terms.map(({ other }) => other)}::text[])
      with ordinality t(typed, other, n)
    cross join lateral (${counted(sample.slice(0, 1), sql`true`)}) a
    cross join lateral (${counted(sample.slice(1), sql`a.count < ${sql.lit(OFTEN)}`)}) o
    order by t.n`.execute(db)
  return rows.map(({ newest, others }) => ({
    newest,
    all: newest === OFTEN ? newest * length : ((newest + others) * length) / sample.length,
  }))
}

/** How many messages of the bucket `b` have the term `t`, up to OFTEN. */
const countIn = (workspaceId: string): RawBuilder<unknown> => sql`
  select count(*)::integer from (
    select from messages m
    where m.workspace_id = ${workspaceId} and left(m.id, 3) = b.bucket
      and (m.body ilike t.typed or m.body ilike t.other)
    limit ${sql.lit(OFTEN)}
  ) f`

export type Counted = { bucket: string; count: number }

/** How many messages in each of the first `max` buckets that have any have the term, up to OFTEN. */
export const countByBucket = async (
  db: Db,
  workspaceId: string,
  { typed, other }: SearchTerm,
  buckets: readonly string[],
  max: number,
): Promise<Counted[]> => {
  const { rows } = await sql<Counted>`
    select b.bucket, c.count
    from (select ${typed}::text as typed, ${other}::text as other) t, unnest(${buckets}::text[]) b(bucket)
    cross join lateral (${countIn(workspaceId)}) c
    where c.count > 0 limit ${max}`.execute(db)
  return rows
}

/** How many of some conversations are open and closed. */
export const countByStatus = async (
  { db, workspaceId, actor }: Ctx,
  ids: readonly string[],
): Promise<Omit<FoundElsewhere, 'isMore'>> => {
  const { rows } = await sql<Omit<FoundElsewhere, 'isMore'>>`
    select count(*) filter (where c.status = 'open')::integer as open,
      count(*) filter (where c.status = 'closed')::integer as closed
    from conversations c
    where c.workspace_id = ${workspaceId} and c.id = any (${ids}::text[])${seenBy(actor, 'c')}`.execute(db)
  return rows[0]!
}

const THREAD_MATCHES_MAX = 200
const THREAD_READ_MAX = 5_000

/**
 * The messages and notes of a conversation with the most of the terms, newest first, if the actor may see it. A word
 * that none of them has, such as the customer's name, does not keep those with the others from being found.
 */
export const listThreadMatches = async (
  { db, workspaceId, actor }: Ctx,
  conversationId: string,
  terms: readonly SearchTerm[],
): Promise<string[]> => {
  const [typed, other, plain, expression] = termParameters(terms)
  const given = sql`unnest(${typed}::text[], ${other}::text[], ${plain}::text[], ${expression}::text[])
    t(typed, other, plain, expression)`
  const { rows } = await sql<{ id: string }>`
    select id from (
      select e.id, e.score, max(e.score) over () as most from conversations c cross join lateral (
        select m.id, (select count(*) from ${given}
          where ${sql.raw(`${inText('m.body')} or ${inPlain('f.names')} or ${inText('h.text')}`)}) as score
        from (
          select id, body from messages
          where workspace_id = ${workspaceId} and conversation_id = c.id and sender_type <> 'system'
          order by id desc limit ${sql.lit(THREAD_READ_MAX)}
        ) m
        left join lateral (
          select string_agg(name, chr(10)) as names from attachments
          where workspace_id = ${workspaceId} and message_id = m.id
        ) f on true
        left join email_hidden_texts h on h.workspace_id = ${workspaceId} and h.conversation_id = c.id
          and h.message_id = m.id
        union all
        select n.id, (select count(*) from ${given} where ${sql.raw(inPlain('n.body'))}) from notes n
        where n.workspace_id = ${workspaceId} and n.conversation_id = c.id
      ) e
      where c.workspace_id = ${workspaceId} and c.id = ${conversationId}${seenBy(actor, 'c')} and e.score > 0
    ) s
    where score = most order by id desc limit ${sql.lit(THREAD_MATCHES_MAX)}`.execute(db)
  return rows.map(({ id }) => id)
}
