// Searches of one or two characters, which a trigram index cannot answer: each conversation is listed under the rare
// grams of its texts. A gram is a rare character (Chinese ones, accents, emoji, unusual symbols), or two letters, or a
// letter and a digit, in a rare order. Common grams are not listed: a walk through the recent conversations finds them.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const DIGITS = '0123456789'
const SIGNS = '.,\'-/()":;?!$%@#&+_'

/**
 * For each letter, the ones that commonly follow it: in at least 0.2 % of 17,540 English sentences (92 characters on
 * average) from the manuals of Debian packages, which is 3 % of conversations of ten messages, so that a walk through
 * 1,000 finds 30 of them. Three pairs from everyday words that manuals lack were added. A text must always be listed
 * under the same grams: a change here needs a migration that rebuilds conversation_grams.
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

/**
 * ASCII is looked up in tables by code, for speed, as every text of every message is processed: pairs by `first << 7 |
 * second`.
 */
const ASCII_END = 128
const isCommon = new Uint8Array(ASCII_END)
const isSpace = new Uint8Array(ASCII_END)
const isRarePair = new Uint8Array(ASCII_END * ASCII_END)

const codesOf = (characters: string): number[] => [...characters].map((character) => character.charCodeAt(0))

for (const code of codesOf(LETTERS + DIGITS + SIGNS)) isCommon[code] = 1
for (const code of codesOf('\t\n\v\f\r ')) isSpace[code] = 1
// Pairs with a symbol end any sentence or occur in any number; digits occur in every order.
for (const first of LETTERS)
  for (const second of LETTERS + DIGITS) {
    const [one, other] = codesOf(first + second) as [number, number]
    isRarePair[(one << 7) | other] = COMMON_FOLLOWERS[first]!.includes(second) ? 0 : 1
    if (DIGITS.includes(second)) isRarePair[(other << 7) | one] = 1
  }

const SPACE = /^\s$/u
const A = 65
const Z = 90

/** Lower case, code point by code point, as PostgreSQL's ILIKE folds; String.toLowerCase depends on the context. */
const fold = (code: number): number =>
  code < ASCII_END
    ? code >= A && code <= Z
      ? code + 32
      : code
    : String.fromCodePoint(code).toLowerCase().codePointAt(0)!

const isWhite = (code: number): boolean =>
  code < ASCII_END ? isSpace[code] === 1 : SPACE.test(String.fromCodePoint(code))

/**
 * The most rare grams that one message adds, as many as some 250 characters of Chinese have. A row takes about 200
 * bytes with its index, so text of nothing but rare characters would make the table 50 times its own size.
 */
const BIGRAMS_MAX = 128

/** Stands for all grams of texts with more than that: anything listed under it may contain any. */
export const ANY_BIGRAM = ''

/** The rare grams of texts, unique and sorted; only ANY_BIGRAM beyond BIGRAMS_MAX. */
export const bigramsOf = (...texts: (string | null)[]): string[] => {
  const grams = new Set<string>()
  for (const text of texts) {
    let before = 0
    for (let at = 0; at < (text?.length ?? 0); at++) {
      const raw = text!.codePointAt(at)!
      if (raw > 0xffff) at++
      const code = fold(raw)
      if (code < ASCII_END && isCommon[code]) {
        if (isRarePair[(before << 7) | code]) grams.add(String.fromCharCode(before, code))
        before = code
      } else {
        if (!isWhite(code)) grams.add(String.fromCodePoint(code))
        before = 0
      }
      if (grams.size > BIGRAMS_MAX) return [ANY_BIGRAM]
    }
  }
  return [...grams].sort()
}

/** A conversation and the rare grams of texts added to it. */
export type Listed = { conversationId: string; grams: readonly string[] }

/** indexBigrams as part of a larger statement, also if there are no rare grams. All writers insert in the same order. */
export const bigramsInsert = ({ workspaceId }: Pick<Ctx, 'workspaceId'>, listed: readonly Listed[]) => sql`
  insert into conversation_grams (workspace_id, gram, conversation_id)
  select ${workspaceId}, gram, conversation
  from unnest(
    ${listed.flatMap(({ grams }) => grams)}::text[],
    ${listed.flatMap(({ conversationId, grams }) => grams.map(() => conversationId))}::text[]
  ) g (gram, conversation)
  order by gram collate "C", conversation collate "C"
  on conflict do nothing`

/**
 * Lists conversations under the rare grams of texts added to them: a message's body, and for a new conversation its
 * subject and its contact's name and email. One statement, or none if there are no rare grams.
 */
export const indexBigrams = async (ctx: Ctx, listed: readonly Listed[]): Promise<void> => {
  if (listed.some(({ grams }) => grams.length > 0)) await bigramsInsert(ctx, listed).execute(ctx.db)
}

/**
 * Lists all conversations of a contact under the rare grams of its new name or email. The caller holds the contact's
 * row lock, so that no conversation is opened under the old one meanwhile.
 */
export const indexContactBigrams = async (
  { db, workspaceId }: Ctx,
  contactId: string,
  ...texts: (string | null)[]
): Promise<void> => {
  const grams = bigramsOf(...texts)
  if (grams.length === 0) return
  await sql`
    insert into conversation_grams (workspace_id, gram, conversation_id)
    select ${workspaceId}, gram, c.id from conversations c cross join unnest(${grams}::text[]) as gram
    where c.workspace_id = ${workspaceId} and c.contact_id = ${contactId}
    on conflict do nothing`.execute(db)
}

/** Lists conversations also under what others are listed under, whose contents they get. */
export const copyBigrams = async (
  { db, workspaceId }: Ctx,
  moves: readonly { from: string; to: string }[],
): Promise<void> => {
  await sql`
    insert into conversation_grams (workspace_id, gram, conversation_id)
    select ${workspaceId}, g.gram, m.target
    from unnest(${moves.map(({ from }) => from)}::text[], ${moves.map(({ to }) => to)}::text[]) m (source, target)
    join conversation_grams g on g.workspace_id = ${workspaceId} and g.conversation_id = m.source
    order by g.gram collate "C", m.target collate "C"
    on conflict do nothing`.execute(db)
}
