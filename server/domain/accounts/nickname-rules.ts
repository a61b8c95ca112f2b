// Which display names would mislead: those that look like the API, the system, the AI agent or another member.
import { invalid } from '../../platform/errors.ts'
import { foldNickname } from './nickname.ts'

/** What threads and notes call authors that aren't people. */
const RESERVED = ['API', 'System', 'AI Agent', 'Automation', 'Foyer']

/**
 * Letters of other scripts that look like a Latin one in common fonts, after lower-casing and without accents; the part of
 * Unicode's confusables.txt (UTS #39) that covers Cyrillic, Greek, Armenian and Latin's own look-alikes. Compatibility
 * forms (full width, mathematical, circled) are folded by NFKD before.
 */
const LOOKS_LIKE: Record<string, string> = {
  a: 'аαɑ⍺',
  b: 'ьƅЬ',
  c: 'сϲᴄⅽ',
  d: 'ԁɗ',
  e: 'еєҽ℮',
  f: 'ſƒϝք',
  g: 'ɡցᶃ',
  h: 'һհ',
  j: 'јϳ',
  k: 'кκᴋ',
  l: 'iıіїιⅼɩӏ1|!ƖІاוɪļ',
  m: 'мᴍ',
  n: 'пոռη',
  o: 'оοσօ0ᴏ๐໐',
  p: 'рρϱ',
  q: 'ԛզգ',
  r: 'гᴦⲅ',
  s: 'ѕꜱƽ',
  t: 'тτᴛ',
  u: 'υսᴜʋц',
  v: 'ѵνᴠ',
  w: 'ԝѡաᴡω',
  x: 'хχ×',
  y: 'уүγʏч',
  z: 'ᴢʐ',
}
const plainOf = new Map(
  Object.entries(LOOKS_LIKE).flatMap(([plain, others]) => [...others].map((other) => [other, plain])),
)

/** Names with the same skeleton look the same at a glance. */
const skeletonOf = (nickname: string): string =>
  [...nickname.normalize('NFKD').toLowerCase().normalize('NFKD')]
    .filter((character) => /[\p{L}\p{N}|!]/u.test(character))
    .map((character) => plainOf.get(character) ?? character)
    .join('')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')

const reserved = new Set(RESERVED.map(skeletonOf))

export const isReserved = (nickname: string): boolean => reserved.has(skeletonOf(nickname))

/** Emoji are joined by invisible characters; between letters these only hide or reorder something. */
const INVISIBLE =
  /(?<!\p{Extended_Pictographic}|\ufe0f|\p{Emoji_Modifier})\u200d|(?![\u200d\ufe0f])[\p{Cc}\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}\u2800\u3164]/u

/**
 * Throws VALIDATION_ERROR for a name that could be mistaken for another member's, or for something that isn't a person.
 */
export const assertNotMisleading = (nickname: string, others: readonly string[]): void => {
  const refuse = (message: string) => invalid({ field: 'nickname', message })
  if (INVISIBLE.test(nickname)) throw refuse('must not contain invisible characters')
  const skeleton = skeletonOf(nickname)
  if (skeleton === '' && !/\p{Extended_Pictographic}/u.test(nickname))
    throw refuse('must contain a letter or a digit')
  if (reserved.has(skeleton)) throw refuse('looks like a reserved name')
  // An identical name is NICKNAME_TAKEN, across the whole platform.
  const similar = others.find(
    (other) => skeletonOf(other) === skeleton && foldNickname(other) !== foldNickname(nickname),
  )
  if (skeleton !== '' && similar !== undefined) throw refuse(`looks like ${similar}, who is already a member`)
}
