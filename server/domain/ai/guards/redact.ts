// What a customer wrote that no provider, no log and no note may hold: cards, bank accounts, passwords, codes and the
// numbers of documents. They are replaced by names, the same value by the same name, for one turn.
import { findCards, findIbans, type Span } from './account-numbers.ts'
import { findNamedSecrets } from './named-secrets.ts'
import { findNationalIds } from './national-ids.ts'

type HiddenKind = 'card' | 'bank account' | 'national id' | 'secret' | 'email' | 'phone'

type Found = Span & { kind: HiddenKind }

export type Redaction = {
  /** The text with placeholders. Takes any length in linear time. */
  hide: (text: string) => string
  /** Puts in what may be said to the customer who wrote it; the rest is shown as dots. */
  reveal: (text: string) => string
  /** Puts all of it back, for whoever wrote it, and says what the text has lost. Null if it names what was never hidden. */
  restore: (text: string) => { text: string; lost: string[] } | null
}

/** An address is the customer's own; nobody should read a card number or a password again. */
const MAY_BE_SAID: ReadonlySet<HiddenKind> = new Set(['email', 'phone'])
const DOTS = '••••'
/** Shorter ones occur in other words. */
const REPEATED_MIN = 5

const TOKENS =
  /(?<![A-Za-z0-9])(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,200}|(?<![A-Za-z0-9])(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AKIA|AIza)[A-Za-z0-9_-]{12,200}|(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,2000}/g
const EMAIL =
  /(?<![\p{L}\p{N}._+-])[\p{L}\p{N}._+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,5}/gu
const PHONE = /(?<![\p{L}\p{N}])(?:\+|00?)\(?[1-9]\d{0,3}(?:[ ()./-]{0,3}\d){6,13}(?!\p{N})/gu
const PLACEHOLDER = /\[(card|bank account|national id|secret|email|phone) (\d{1,4})\]/g

/** The names that stand for what was hidden, each once. */
export const placeholdersIn = (text: string): string[] => [
  ...new Set([...text.matchAll(PLACEHOLDER)].map(([name]) => name)),
]

/** For one turn. With `contacts`, email addresses and phone numbers are hidden as well. */
export const makeRedaction = ({ contacts = false } = {}): Redaction => {
  const names = new Map<string, string>()
  const values = new Map<string, { kind: HiddenKind; shown: string }>()
  const counts = new Map<HiddenKind, number>()
  const secrets = new Set<string>()

  const nameOf = ({ kind, value }: Found, shown: string): string => {
    const known = names.get(`${kind} ${value}`)
    if (known !== undefined) return known
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    const name = `[${kind} ${count}]`
    names.set(`${kind} ${value}`, name)
    values.set(name, { kind, shown })
    if (kind === 'secret' && value.length >= REPEATED_MIN) secrets.add(value)
    return name
  }

  const hide = (text: string): string => {
    const found = withoutOverlap([
      ...spans('secret', matches(text, TOKENS)),
      ...spans('bank account', findIbans(text)),
      ...spans('card', findCards(text)),
      ...spans('national id', findNationalIds(text)),
      ...findNamedSecrets(text),
      ...(contacts ? [...spans('email', matches(text, EMAIL)), ...spans('phone', matches(text, PHONE))] : []),
    ])
    let hidden = ''
    let at = 0
    for (const one of found) {
      hidden += text.slice(at, one.start) + nameOf(one, text.slice(one.start, one.end))
      at = one.end
    }
    hidden += text.slice(at)
    // A password that was named once is a secret without its name too.
    for (const secret of secrets) hidden = hidden.replaceAll(secret, names.get(`secret ${secret}`)!)
    return hidden
  }

  const reveal = (text: string): string =>
    text.replace(PLACEHOLDER, (name) => {
      const value = values.get(name)
      return value && MAY_BE_SAID.has(value.kind) ? value.shown : DOTS
    })

  const restore = (text: string): ReturnType<Redaction['restore']> => {
    const named = new Set(placeholdersIn(text))
    if ([...named].some((name) => !values.has(name))) return null
    return {
      text: text.replace(PLACEHOLDER, (name) => values.get(name)!.shown),
      lost: [...values].flatMap(([name, { shown }]) => (named.has(name) ? [] : [shown])),
    }
  }

  return { hide, reveal, restore }
}

const spans = (kind: HiddenKind, found: readonly Span[]): Found[] => found.map((span) => ({ ...span, kind }))

const matches = (text: string, pattern: RegExp): Span[] =>
  [...text.matchAll(pattern)].map(({ index, 0: value }) => ({
    start: index,
    end: index + value.length,
    value,
  }))

/** In order; of two that overlap the one that was found first. */
const withoutOverlap = (found: readonly Found[]): Found[] => {
  const sorted = found
    .map((one, rank) => ({ one, rank }))
    .sort((a, b) => a.one.start - b.one.start || a.rank - b.rank)
  const kept: { one: Found; rank: number }[] = []
  for (const next of sorted) {
    const last = kept.at(-1)
    if (!last || last.one.end <= next.one.start) kept.push(next)
    else if (next.rank < last.rank) kept[kept.length - 1] = next
  }
  return kept.map(({ one }) => one)
}
