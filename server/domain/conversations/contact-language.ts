// The language of a conversation is that of its contact: their field `language`, where people see it and programs may set
// it, or that of their latest browser. Lists compare the language alone, without the region.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'

/** As the indexes contacts_language and visitors_language have it. */
const baseOf = (text: string): string => `lower(split_part(replace(${text}, '_', '-'), '-', 1))`
const OWN = baseOf("custom_fields ->> 'language'")
const OF_BROWSER = baseOf('locale')

/** The language of the contact of that id. $1 is the workspace. */
export const languageOf = (contactId: string): string => `coalesce(
  (select nullif(${OWN}, '') from contacts where workspace_id = $1 and id = ${contactId}),
  (select ${OF_BROWSER} from visitors where workspace_id = $1 and contact_id = ${contactId} and locale is not null
    order by seen_at desc limit 1))`

/** The ids of contacts who may have it, each once; those of several browsers may have another. */
export const speaking = (language: string): string => `
  select k.id from contacts k
  where k.workspace_id = $1 and k.custom_fields ? 'language' and ${OWN} = ${language}
  union all
  select s.contact_id from (
    select distinct contact_id from visitors
    where workspace_id = $1 and contact_id is not null and locale is not null and ${OF_BROWSER} = ${language}
  ) s where coalesce((select ${OWN} from contacts where workspace_id = $1 and id = s.contact_id), '') = ''`

const LANGUAGES_MAX = 100
/** A field may have anything. */
const LANGUAGE = /^([a-z]{2,3}|[a-z]{5,8})$/

/** The languages of the workspace's contacts, each found by one step in an index. */
export const listLanguages = async ({ db, workspaceId }: Ctx): Promise<string[]> => {
  const stepsOf = (table: string, language: string, condition: string) => sql`(
    with recursive step (language) as (
      select min(${sql.raw(language)}) from ${sql.raw(table)} where workspace_id = ${workspaceId} and ${sql.raw(condition)}
      union all
      select (select min(${sql.raw(language)}) from ${sql.raw(table)} t
        where workspace_id = ${workspaceId} and ${sql.raw(condition)} and ${sql.raw(language)} > step.language)
      from step where step.language is not null
    ) select language from step limit ${sql.lit(LANGUAGES_MAX)})`
  const { rows } = await sql<{ language: string }>`
    select language from (
      ${stepsOf('contacts', OWN, "custom_fields ? 'language'")}
      union
      ${stepsOf('visitors', OF_BROWSER, 'contact_id is not null and locale is not null')}
    ) l where language is not null order by language`.execute(db)
  return rows.map(({ language }) => language).filter((language) => LANGUAGE.test(language))
}
