import type { Ctx } from '../../platform/ctx/ctx.ts'
import { sightOf } from '../../platform/ctx/permissions.ts'
import { runText, sqlText } from '../../platform/db/json-text.ts'
import { EMAIL_VERIFIED_TEXT } from './contact-row.ts'
import type { PeopleFound } from './people-found-schema.ts'
import type { SearchTerm } from './search-terms.ts'

/** Up to this many people are gathered and sorted; of more, the ones with the latest activity are walked through. */
const GATHERED_MAX = 1_000
const WALKED_MAX = 5_000

/** The term by which people are looked up, and the pattern of another that the index compares too. */
export const lookedUpBy = (terms: readonly SearchTerm[], primary: SearchTerm): [string, string] => {
  const [other] = terms
    .filter((term) => term !== primary && term.hasTrigram && term.expression === null)
    .sort((a, b) => b.plain.length - a.plain.length)
  return [primary.plain, other?.plain ?? '%']
}

/**
 * SQL for the contacts of the workspace $1 whose search text matches the patterns, without case and accents, and meets
 * a condition; those with the latest activity, in that order. Of a frequent first name and a frequent surname, the index
 * alone finds the few people who have both. A pattern is a parameter: with a literal that has no letters, the planner
 * would read all contacts instead of the index.
 */
export const recentPeople = (
  patterns: readonly string[],
  max: number,
  condition: (text: string) => string,
): string => {
  const matching = (text: string) => patterns.map((pattern) => `${text} like ${pattern}`).join(' and ')
  return `
  select contact_id from (
    with probe as materialized (
      select contact_id from (
        select contact_id from contact_search s
          where workspace_id = $1 and ${matching('text')} and ${condition('s.text')}
        union
        select contact_id from contact_search s where workspace_id = $1 and plain_text(text) <> text
          and ${matching('plain_text(text)')} and ${condition('s.text')}
      ) a limit ${GATHERED_MAX + 1}
    ), few as materialized (select count(*) <= ${GATHERED_MAX} as yes from probe)
    (select k.id as contact_id from probe p cross join lateral (
        select id, last_activity_at from contacts where workspace_id = $1 and id = p.contact_id offset 0
      ) k where (select yes from few) order by k.last_activity_at desc nulls last, k.id desc limit ${max})
    union all
    (select w.id from (
        select id, search_text from contacts where workspace_id = $1 and not (select yes from few)
        order by last_activity_at desc nulls last, id desc limit ${WALKED_MAX}
      ) w where ${matching('plain_text(w.search_text)')} and ${condition('w.search_text')} limit ${max})
  ) q`
}

const hasTerms = (text: string): string => `not exists (
  select from unnest($3::text[], $4::text[]) t(plain, expression)
  where not case when t.expression is null then plain_text(${text}) like t.plain
    else plain_text(${text}) ~ t.expression end)`

/** $5 and $6 are the agent and the channels that limit what the actor sees; see visible-conversations.ts. */
const peopleText = (contacts: string) =>
  sqlText<PeopleFound['people'][number]>(`
with parameters as (select $2::text, $8::text)
select c.id, c.name, c.email, ${EMAIL_VERIFIED_TEXT} as "emailVerified", c.phone, c.channels
from (${contacts}) p
cross join lateral (select * from contacts where workspace_id = $1 and id = p.contact_id offset 0) c
where ($5::text is null or exists (
    select from conversations v where v.workspace_id = $1 and v.contact_id = c.id and v.agent_id = $5))
  and ($6::text[] is null or c.channels && $6)
order by c.last_activity_at desc nulls last, c.id desc limit $7`)

const LOOKED_UP = peopleText(recentPeople(['$2', '$8'], GATHERED_MAX, hasTerms))
/** Without a term that an index has. */
const WALKED = peopleText(`
  select id as contact_id from (
    select id, search_text from contacts where workspace_id = $1
    order by last_activity_at desc nulls last, id desc limit ${WALKED_MAX}
  ) w where ${hasTerms('w.search_text')} limit ${GATHERED_MAX}`)

/** The people whom the actor may see and whose name, email, phone and username have all terms, latest activity first. */
export const findPeople = async (
  { db, workspaceId, actor }: Ctx,
  terms: readonly SearchTerm[],
  limit: number,
): Promise<PeopleFound> => {
  if (terms.length === 0) return { people: [] }
  const [longest] = terms
    .filter(({ hasTrigram }) => hasTrigram)
    .sort((a, b) => b.plain.length - a.plain.length)
  const { agentId, channels } = sightOf(actor)
  const [pattern, another] = longest ? lookedUpBy(terms, longest) : [null, null]
  const people = await runText(db, longest ? LOOKED_UP : WALKED, [
    workspaceId,
    pattern,
    terms.map(({ plain }) => plain),
    terms.map(({ expression }) => expression),
    agentId,
    channels,
    limit,
    another,
  ])
  return { people }
}
