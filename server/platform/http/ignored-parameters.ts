// Unknown query parameters are ignored. So that a misspelt filter is not mistaken for one that matched everything,
// the response lists them, each with the parameter that was probably meant.
import type { FastifyReply, FastifyRequest } from 'fastify'

export const IGNORED_HEADER = 'Foyer-Ignored-Parameters'
const NAMED_MAX = 10
const NAME_MAX = 64
/** Longer words may differ more. */
const LETTERS_PER_MISTAKE = 4
const PREFIX_MIN = 3

export const nameIgnoredParameters = (request: FastifyRequest, reply: FastifyReply): void => {
  const given = Object.keys((request.query ?? {}) as object)
  if (given.length === 0) return
  const { querystring } = (request.routeOptions.schema ?? {}) as { querystring?: { properties?: object } }
  const known = Object.keys(querystring?.properties ?? {})
  const ignored = given.filter((name) => !known.includes(name))
  if (ignored.length > 0) reply.header(IGNORED_HEADER, headerOf(ignored, known))
}

/** A list of strings as a structured field (RFC 9651): `"page_size";near="pageSize", "colour"`. */
const headerOf = (ignored: readonly string[], known: readonly string[]): string =>
  ignored
    .slice(0, NAMED_MAX)
    .map((given) => {
      const name = [...given].slice(0, NAME_MAX).join('')
      const near = nearOf(name, known)
      // Percent-encoding removes all characters that headers don't allow.
      return `"${encodeURIComponent(name.toWellFormed())}"${near ? `;near="${near}"` : ''}`
    })
    .join(', ')

const lettersOf = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** The known name that was probably meant: different case or separators, a prefix, or a typo or two. */
export const nearOf = (given: string, known: readonly string[]): string | undefined => {
  const letters = lettersOf(given)
  if (letters === '') return undefined
  const begins = (one: string): boolean => {
    const [short, long] = one.length < letters.length ? [one, letters] : [letters, one]
    return short.length >= PREFIX_MIN && long.startsWith(short)
  }
  const ranked = known.map((name) => {
    const own = lettersOf(name)
    const mistakes = own === letters ? 0 : begins(own) ? 1 : mistakesBetween(letters, own)
    const most = Math.floor(Math.max(own.length, letters.length) / LETTERS_PER_MISTAKE)
    return { name, mistakes, isNear: mistakes <= most }
  })
  return ranked.filter(({ isNear }) => isNear).sort((a, b) => a.mistakes - b.mistakes)[0]?.name
}

/** Missing, extra, wrong or swapped letters (optimal string alignment). Both are at most NAME_MAX long. */
const mistakesBetween = (a: string, b: string): number => {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let row = 1; row <= a.length; row++) {
    const now = [row]
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      now[column] = Math.min(
        last[column]! + 1,
        now[column - 1]! + 1,
        last[column - 1]! + (isSame ? 0 : 1),
        isSwapped ? beforeLast[column - 2]! + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforeLast = last
    last = now
  }
  return last[b.length]!
}
