// The figures of the period at a glance, each beside that of the period before.
import { Link } from '@tanstack/react-router'
import { countOf } from '../../state/amounts.ts'
import type { Figure, Report, ReportTotals } from '../../state/types.ts'
import { rich, t } from '../../words/t.ts'
import { useShow } from './parts.tsx'
import { averageOf, changeWords, dayWords, FIGURE_WORDS, medianOf } from './words.ts'

type Stat = {
  figure: Figure
  label: string
  value: (totals: ReportTotals) => number | null
  words: (totals: ReportTotals) => string
}

const counted = (figure: 'conversations' | 'inbound' | 'closed', label: string): Stat => ({
  figure,
  label,
  value: (totals) => totals[figure],
  words: (totals) => countOf(totals[figure]),
})
const timed = (figure: 'first' | 'next' | 'resolution', label: string): Stat => ({
  figure,
  label,
  value: (totals) => totals[figure].medianMs,
  words: (totals) => medianOf(totals[figure]),
})

const STATS: Stat[] = [
  counted('conversations', t`New conversations`),
  counted('inbound', t`Messages from customers`),
  counted('closed', t`Closed`),
  timed('first', t`First reply, median`),
  timed('next', t`Next reply, median`),
  timed('resolution', t`Time to close, median`),
  {
    figure: 'rating',
    label: t`Average rating`,
    value: ({ rating }) => rating.average,
    words: ({ rating }) => averageOf(rating),
  },
]

export const Totals = ({ report }: { report: Report }) => {
  const { totals, before, open } = report
  const show = useShow()
  return (
    <div className="stack stack--tight">
      <ul className="stats" aria-label={t`Figures`}>
        {STATS.map(({ figure, label, value, words }) => {
          const change = changeWords(value(totals), value(before.totals))
          const has = value(totals) !== null && value(totals) !== 0
          const content = (
            <>
              <span className="stats__label">{label}</span>
              <span className="stats__value">{words(totals)}</span>
              <span className="stats__change">
                {change !== null && t`${change} (${words(before.totals)} before)`}
              </span>
            </>
          )
          return (
            <li key={figure} className="stack">
              {has ? (
                <button
                  type="button"
                  className="stats__one grow"
                  onClick={() => show({ figure, title: FIGURE_WORDS[figure] })}
                >
                  {content}
                </button>
              ) : (
                <div className="stats__one grow">{content}</div>
              )}
            </li>
          )
        })}
        <li className="stack">
          <Link to="/inbox/$view" params={{ view: 'open' }} className="stats__one grow">
            <span className="stats__label">{t`Open now`}</span>
            <span className="stats__value">{countOf(open)}</span>
            <span className="stats__change" />
          </Link>
        </li>
      </ul>
      <p className="text-soft text-small">
        {rich`Compared with ${dayWords(before.from)} – ${dayWords(before.to)}. Times are measured around the clock, from the customer’s message to the reply of a person, and accurate to 5%.`}
      </p>
    </div>
  )
}
