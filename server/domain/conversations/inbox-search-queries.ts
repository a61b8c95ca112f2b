// The SQL of the console's search. A conversation is found if each term is in one of its texts: subject, messages, the
// hidden parts of its mails, notes, names of files, and its contact's name, addresses, phone and tags. $1 to $16 are
// those of conversation-rows.ts.
import { timeText } from '../../platform/db/json-columns.ts'
import { type SqlText, sqlText } from '../../platform/db/json-text.ts'
import { recentPeople } from '../contacts/find-people.ts'
import { ANY_BIGRAM } from '../search/bigrams.ts'
import { filterCondition, orderBy, type Shown, walk } from './conversation-rows.ts'
import type { InboxRow } from './inbox-schema.ts'

type Rows = Shown<InboxRow>

/** A conversation that was found, its position in the list, and the message that did. */
export type Hit = { id: string; at: string; messageId: string | null; bucket: string | null; isHit: boolean }

/** Whether a text as it is stored contains the term `t`. */
export const inText = (text: string): string =>
  `case when t.expression is null then ${text} ilike t.typed or ${text} ilike t.other else ${text} ~* t.expression end`

/** The same for a short text, whatever its accents. */
export const inPlain = (text: string): string =>
  `case when t.expression is null then plain_text(${text}) like t.plain else plain_text(${text}) ~ t.expression end`

export const TERMS = (first: number): string =>
  `unnest($${first}::text[], $${first + 1}::text[], $${first + 2}::text[], $${first + 3}::text[]) t(typed, other, plain, expression)`

/** Subqueries that yield a value are run for one row; `exists` might be planned as a join with all rows. */
const any = (rows: string): string => `coalesce((select true from ${rows} limit 1), false)`

/** The tables are read in the order of what they cost. */
const IN_CONVERSATION = `(
  coalesce(${inText('c.subject')}, false)
  or ${any(`contact_search s where s.workspace_id = $1 and s.contact_id = c.contact_id and ${inPlain('s.text')}`)}
  or ${any(`messages m where m.workspace_id = $1 and m.conversation_id = c.id and m.sender_type <> 'system' and ${inText('m.body')}`)}
  or ${any(`notes n where n.workspace_id = $1 and n.conversation_id = c.id and ${inPlain('n.body')}`)}
  or ${any(`contact_tags x join tags g on g.workspace_id = $1 and g.id = x.tag_id
       where x.workspace_id = $1 and x.contact_id = c.contact_id and ${inPlain('g.name')}`)}
  or ${any(`identities i where i.workspace_id = $1 and i.contact_id = c.contact_id and i.kind = 'email' and ${inPlain('i.value')}`)}
  or (c.channel = 'email' and ${any(`email_hidden_texts h where h.workspace_id = $1 and h.conversation_id = c.id and ${inText('h.text')}`)})
  or ${any(`messages m cross join lateral (
         select from attachments f where f.workspace_id = $1 and f.message_id = m.id and ${inPlain('f.name')} limit 1
       ) f where m.workspace_id = $1 and m.conversation_id = c.id`)}
)`

/** Every one of the terms $18 to $21 is in the conversation `c`. */
const HAS_TERMS = `not ${any(`${TERMS(18)} where not ${IN_CONVERSATION}`)}`

/** Each parameter must have a type, whether or not the filter uses it. */
const PARAMETERS = `with parameters as (select $2::timestamptz, $3::text, $4::text, $5::text, $6::text, $7::text[], $8::text[],
  $9::boolean, $10::boolean, $11::text, $12::text, $13::timestamptz, $14::text, $15::text, $16::timestamptz, $17::bigint)`

const HIT = (messageId = 'null', bucket = 'null', isHit = 'true'): string =>
  `select c.id, ${timeText('c.updated_at')} as at, ${messageId} as "messageId", ${bucket} as bucket, ${isHit} as "isHit"`

const LONG_WALK_MAX = 1000

/** The first $17 hits among the next $22 conversations of the list, and, as the last row, where those end. */
export const walkText = (shown: Rows): SqlText<Hit> => {
  const walked = walk(shown, LONG_WALK_MAX)
  return sqlText(`${PARAMETERS}
    (${HIT()} from (select * from (${walked}) l limit $22::bigint) c where ${HAS_TERMS}
      order by ${orderBy(shown.filter.sort, 'c')} limit $17)
    union all
    (${HIT('null', 'null', 'false')} from (${walked}) c offset $22::bigint - 1 limit 1)`)
}

/** Conversations found by an index, in the list's order, that pass the filter and have the terms. */
const foundBy = (shown: Rows, candidates: string, test = HAS_TERMS): SqlText<Hit> =>
  sqlText(`${PARAMETERS}
    ${HIT('c.message_id')} from (
      select v.*, h.message_id from (
        select id, max(message_id) as message_id from (${candidates}) k group by id
      ) h cross join lateral (
        select * from conversations x where x.workspace_id = $1 and x.id = h.id and ${filterCondition(shown.filter, 'x')} offset 0
      ) v order by ${orderBy(shown.filter.sort, 'v')}
    ) c where ${test} order by ${orderBy(shown.filter.sort, 'c')} limit $17`)

const ofContact = (contacts: string): string => `
  select v.id, null as message_id from (${contacts} offset 0) k cross join lateral (
    select id from conversations where workspace_id = $1 and contact_id = k.contact_id offset 0
  ) v`

const PEOPLE_MAX = 1_000
const PEOPLE_COMPARED_MAX = 300
const TAGGED_MAX = 2_000

/** By people who have all the terms; $24 is the one that is looked up, $25 another pattern; see lookedUpBy. */
export const peopleText = (shown: Rows): SqlText<Hit> =>
  foundBy(
    shown,
    ofContact(
      recentPeople(
        ['$24', '$25'],
        PEOPLE_MAX,
        (text) => `not ${any(`${TERMS(18)} where not ${inPlain(text)}`)}`,
      ),
    ),
    '($22::text is null or $23::text is null or true)',
  )

const FOUND_MAX = 2_000

/** By people, tags, subjects, notes, files and hidden parts; $22 to $24 are the term that is looked up. */
export const besidesText = (shown: Rows): SqlText<Hit> =>
  foundBy(
    shown,
    `${ofContact(`
      ${recentPeople(['$24'], PEOPLE_COMPARED_MAX, () => 'true')}
      union
      select contact_id from identities
        where workspace_id = $1 and kind = 'email' and value >= $25 and value < $25 || '~'
      union
      (select x.contact_id from tags g join contact_tags x on x.workspace_id = $1 and x.tag_id = g.id
        where g.workspace_id = $1 and plain_text(g.name) like $24 limit ${TAGGED_MAX})`)}
    union all
    (select id, null from conversations where workspace_id = $1 and (subject ilike $22 or subject ilike $23) limit ${FOUND_MAX})
    union all
    (select conversation_id, null from notes
      where workspace_id = $1 and conversation_id is not null and plain_text(body) like $24 limit ${FOUND_MAX})
    union all
    (select m.conversation_id, m.id from (
        select message_id from attachments
        where workspace_id = $1 and message_id is not null and plain_text(name) like $24 limit ${FOUND_MAX}
      ) f join messages m on m.workspace_id = $1 and m.id = f.message_id)
    union all
    (select conversation_id, message_id from email_hidden_texts
      where workspace_id = $1 and (text ilike $22 or text ilike $23) limit ${FOUND_MAX})`,
  )

const IN_BODIES = `m.workspace_id = $1 and (m.body ilike $22 or m.body ilike $23)`

/** By messages of any age. */
export const messagesText = (shown: Rows): SqlText<Hit> =>
  foundBy(
    shown,
    `select m.conversation_id as id, m.id as message_id from messages m where ${IN_BODIES} and m.sender_type <> 'system'`,
  )

/** One or two characters: by the rare gram $22. */
export const gramsText = (shown: Rows): SqlText<Hit> =>
  foundBy(
    shown,
    `select conversation_id as id, null as message_id from conversation_grams where workspace_id = $1 and gram in ($22, '${ANY_BIGRAM}')`,
  )

/** In one bucket, this many conversations are looked at before its older messages are a statement of their own. */
export const BUCKET_MAX = 200

/** An earlier page has the conversation, by a later message. */
const SHOWN_BEFORE = any(
  `messages m where m.conversation_id = c.id and m.id >= $25 and ${IN_BODIES} and m.sender_type <> 'system'`,
)

/**
 * By messages before $25 in the 25 days of each of the buckets $24, newest message first: $26 conversations of each, and
 * twice as many altogether. Also yields those that lack a term, so that the caller knows how far the search came.
 */
export const bucketsText = ({ filter }: Rows): SqlText<Hit> =>
  sqlText(`${PARAMETERS}
    ${HIT('c.message_id', 'c.bucket', `(not ${SHOWN_BEFORE} and ${HAS_TERMS})`)} from (
      select h.*, b.bucket from unnest($24::text[]) b(bucket)
      cross join lateral (
        select v.*, n.message_id from (
          select m.conversation_id as id, max(m.id) as message_id from messages m
          where ${IN_BODIES} and left(m.id, 3) = b.bucket and m.sender_type <> 'system' and m.id < $25
          group by 1 order by 2 desc offset 0
        ) n cross join lateral (
          select * from conversations x where x.workspace_id = $1 and x.id = n.id and ${filterCondition(filter, 'x')} offset 0
        ) v order by n.message_id desc limit $26::bigint offset 0
      ) h limit 2 * $26::bigint
    ) c`)

/** Enough for a page, even if half of them are of conversations that the filter leaves out. */
const READ_HITS_MAX = 300

/**
 * By the newest $26 messages before $25, and from $24 on, read one by one until READ_HITS_MAX have the word; `coalesce`
 * keeps the index out. The last row, without an id, is the message before which the next part begins, if there is one.
 */
export const readText = ({ filter }: Rows): SqlText<Hit> => {
  const range = 'm.workspace_id = $1 and m.id < $25 and m.id >= $24'
  return sqlText(`${PARAMETERS}, matched as materialized (
      select id, conversation_id from (
        select m.id, m.conversation_id,
          m.sender_type <> 'system' and coalesce(m.body ilike $22 or m.body ilike $23, false) as has_word
        from messages m where ${range} order by m.id desc limit $26::bigint
      ) m where has_word limit ${READ_HITS_MAX}
    )
    (${HIT('c.message_id', 'null', `(not ${SHOWN_BEFORE} and ${HAS_TERMS})`)} from (
      select v.*, n.message_id from (
        select conversation_id as id, max(id) as message_id from matched group by 1 order by 2 desc offset 0
      ) n cross join lateral (
        select * from conversations x where x.workspace_id = $1 and x.id = n.id and ${filterCondition(filter, 'x')} offset 0
      ) v order by n.message_id desc offset 0
    ) c)
    union all
    (select '', '', e.id, null, false from (
      select case when count(*) = ${READ_HITS_MAX} then min(id) else (
        select m.id from messages m where ${range} order by m.id desc offset $26::bigint - 1 limit 1
      ) end as id from matched
    ) e where e.id is not null)`)
}
