// Tokens, money and short times, as people read them.
import { LOCALE } from '../words/locale.ts'
import { t } from '../words/t.ts'

const MILLIONTHS = 1_000_000
/** Below this many units, cents say nothing. */
const SMALL = 1

export const countOf = (count: number): string => new Intl.NumberFormat(LOCALE).format(count)

export const tokensOf = (tokens: number): string => (tokens === 1 ? t`1 token` : t`${countOf(tokens)} tokens`)

/** Of millionths of a currency; small amounts with two digits that say something. */
export const costOf = (millionths: number, currency: string): string => {
  const amount = millionths / MILLIONTHS
  return new Intl.NumberFormat(LOCALE, {
    style: 'currency',
    currency,
    ...(amount > 0 && amount < SMALL && { maximumSignificantDigits: 2 }),
  }).format(amount)
}

/** "0.4 s" */
export const secondsOf = (ms: number): string =>
  t`${new Intl.NumberFormat(LOCALE, { maximumFractionDigits: ms < 10_000 ? 1 : 0 }).format(ms / 1000)} s`

/** “(45%)”; nothing of nothing. */
export const percentOf = (value: number, of: number): string =>
  of === 0 ? '' : `(${new Intl.NumberFormat(LOCALE, { style: 'percent' }).format(value / of)})`
