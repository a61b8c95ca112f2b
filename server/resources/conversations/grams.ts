// Searches of one or two characters, which a trigram index cannot answer: each conversation is listed under the rare
// grams of its texts. A gram is a rare character (Chinese ones, accents, emoji, odd signs), or two letters, or a letter
// and a digit, in a rare order. What is common is not listed: a walk through the recent conversations meets it.
import { sql } from 'kysely'
import type { Ctx } from '../../ctx.ts'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const DIGITS = '0123456789'
const SIGNS = '.,\'-/()":;?!$%@#&+_'

/**
 * After each letter, those that follow it commonly: in at least 0.2 % of 17,540 English sentences (92 characters on
 * average) from the manuals of Debian packages, which is 3 % of conversations of ten messages, so that a walk through
 * 1,000 meets 30 of them. Three pairs of everyday words that manuals lack were added. A text must be listed under
 * the same grams for ever: a change here needs a migration that fills conversation_grams anew.
 */
const COMMON_FOLLOWERS: Record<string, string> = {
  a: 'bcdfgijklmnprstuvwxy',
  b: 'abceijlmorstuyz',
  c: 'acehiklmoprstuy',
  d: 'abcdegilnoprsuvy',
  e: 'abcdefghiklmnopqrstuvwxy',
  f: 'acefilorstuy',
  g: 'aceghilmnoprstuy',
  h: 'aeilmnorstuy',
  i: 'abcdefgklmnopqrstvxz',
  j: 'aeosu',
  k: 'aegilnsuw',
  l: 'abcdefgiklmnoprstuvwy',
  m: 'abeilmnopsuvy',
  n: 'acdefghijklmnoprstuvy',
  o: 'abcdefgijklmnoprstuvwxy',
  p: 'adeghiklmoprstuy',
  q: 'u',
  r: 'abcdefghiklmnoprstuvwy',
  s: 'acdefhiklmnopstuwy',
  t: 'acdefhilmnoprstuwy',
  u: 'abcdefgilmnoprstxy',
  v: 'aeiou',
  w: 'aehilnors',
  x: 'aceimpsty',
  y: 'abceilmnoprstw',
  z: 'aeil',
}

const commonCharacters = new Set(LETTERS + DIGITS + SIGNS)
const letters = new Set(LETTERS)
const signs = new Set(SIGNS)
const commonPairs = new Set(
  Object.entries(COMMON_FOLLOWERS).flatMap(([first, followers]) =>
    [...followers].map((second) => first + second),
  ),
)

/** With a sign in it, a pair is what any sentence ends or any number is written with; digits come in every order. */
const isRarePair = (first: string, second: string): boolean =>
  !signs.has(first) &&
  !signs.has(second) &&
  (letters.has(first) || letters.has(second)) &&
  !commonPairs.has(first + second)

const SPACE = /^\s$/u

/** Lower case, one code point for one, as PostgreSQL's ILIKE folds; String.toLowerCase alone looks at the context. */
const fold = (character: string): string => {
  const lower = character.toLowerCase()
  return lower.length === character.length ? lower : String.fromCodePoint(lower.codePointAt(0)!)
}

/** The rare grams of texts, each once, in the order in which every writer inserts them. */
export const gramsOf = (...texts: (string | null)[]): string[] => {
  const grams = new Set<string>()
  for (const text of texts) {
    let before = ''
    for (const raw of text ?? '') {
      const character = fold(raw)
      if (commonCharacters.has(character)) {
        if (before && isRarePair(before, character)) grams.add(before + character)
        before = character
      } else {
        if (!SPACE.test(character)) grams.add(character)
        before = ''
      }
    }
  }
  return [...grams].sort()
}

/** indexGrams as a part of a larger statement, one also when there are no rare grams. */
export const gramsInsert = (
  { workspaceId }: Pick<Ctx, 'workspaceId'>,
  conversationId: string,
  grams: readonly string[],
) => sql`
  insert into conversation_grams (workspace_id, gram, conversation_id)
  select ${workspaceId}, gram, ${conversationId} from unnest(${grams}::text[]) as gram
  on conflict do nothing`

/**
 * Lists a conversation under the rare grams of texts that became part of it: a message's body, and when it is created
 * its subject and its contact's name and email. One statement, or none when there are no rare grams.
 */
export const indexGrams = async (
  ctx: Ctx,
  conversationId: string,
  ...texts: (string | null)[]
): Promise<void> => {
  const grams = gramsOf(...texts)
  if (grams.length === 0) return
  await gramsInsert(ctx, conversationId, grams).execute(ctx.db)
}

/**
 * Lists all conversations of a contact under the rare grams of its new name or email. The caller holds the contact's
 * row lock, so that no conversation is opened meanwhile under the old one.
 */
export const indexContactGrams = async (
  { db, workspaceId }: Ctx,
  contactId: string,
  ...texts: (string | null)[]
): Promise<void> => {
  const grams = gramsOf(...texts)
  if (grams.length === 0) return
  await sql`
    insert into conversation_grams (workspace_id, gram, conversation_id)
    select ${workspaceId}, gram, c.id from conversations c cross join unnest(${grams}::text[]) as gram
    where c.workspace_id = ${workspaceId} and c.contact_id = ${contactId}
    on conflict do nothing`.execute(db)
}
