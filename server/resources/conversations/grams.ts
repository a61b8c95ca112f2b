// Searches of one or two characters, which a trigram index cannot answer: each conversation is listed under the rare
// grams of its texts. A gram is a rare character (Chinese ones, accents, emoji, odd signs), or two common characters
// in a rare order. What is common is not listed: a walk through the recent conversations meets it at once.
import { sql } from 'kysely'
import type { Ctx } from '../../ctx.ts'

const COMMON_CHARACTERS = new Set('abcdefghijklmnopqrstuvwxyz0123456789.,\'-/()":;?!$%')

/**
 * After each character, those that follow it commonly: in at least 0.5 % of 17,540 English sentences (92 characters on
 * average) taken from the manuals of Debian packages. Pairs of what numbers are written with are common too, without a
 * table: order numbers, prices and times hold them all. A text must be listed under the same grams for ever, so a change here needs a
 * migration that fills conversation_grams anew.
 */
const COMMON_FOLLOWERS: Record<string, string> = {
  '"': '.',
  "'": 'lrst',
  '(': 'aeios',
  ')': ',.',
  '-': 'abcdefiloprst',
  '/': 'o',
  1: '.',
  2: '.',
  a: '.bcdfgiklmnprstuvwxy',
  b: 'aceijlorstuy',
  c: '.acehiklmoprstuy',
  d: '),-./adeilnorsuy',
  e: '"\'),-.:abcdefghilmnopqrstuvwxy',
  f: '-.aefilortuy',
  g: ',.aeghilnorstu',
  h: ',.aeimorstuy',
  i: '.abcdefgklmnoprstvxz',
  j: 'eosu',
  k: ',.aeins',
  l: ',.abcdefgiloprstuvwy',
  m: ',.abeilmopsu',
  n: "',-.acdefgiklmnopstuvy",
  o: ',-.abcdefgijklmnoprstuvw',
  p: '.adehilmoprstuy',
  q: 'u',
  r: ',-.abcdefgiklmnoprstuvwy',
  s: '"),-.:acefhiklmnopstuwy',
  t: "'),-.acefhilmoprstuwy",
  u: "'abcdefgilmnoprst",
  v: 'aeio',
  w: '.aehilnors',
  x: 'aceipt',
  y: '),-.eilmnoprst',
  z: 'aei',
}

const OF_NUMBERS = '0123456789.,:/-$'

const COMMON_PAIRS = new Set([
  ...Object.entries(COMMON_FOLLOWERS).flatMap(([first, followers]) =>
    [...followers].map((second) => first + second),
  ),
  ...[...OF_NUMBERS].flatMap((first) => [...OF_NUMBERS].map((second) => first + second)),
])

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
      if (COMMON_CHARACTERS.has(character)) {
        if (before && !COMMON_PAIRS.has(before + character)) grams.add(before + character)
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
