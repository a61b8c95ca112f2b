// The figures of the period at a glance, each beside that of the period before.
import { Link } from '@tanstack/react-router'
import { countOf } from '../../state/amounts.ts'
import type { Figure, ReportTotals } from '../../state/types.ts'
import { classNames } from '../../ui/class-names.ts'
import { rich, t } from '../../words/t.ts'
import { type SectionProps, useShow } from './parts.tsx'
import { hasTargets } from './targets.tsx'
import {
  averageOf,
  bothGoals,
  changeWords,
  dayWords,
  FIGURE_WORDS,
  medianOf,
  percentOf,
  shareOf,
} from './words.ts'

type Stat = {
  figure: Figure
  label: string
  value: (totals: ReportTotals) => number | null
  words: (totals: ReportTotals) => string
  /** A percentage of it would be one of a percentage. */
  isShare?: boolean
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

/** Only where there are targets. */
const ON_TIME: Stat = {
  figure: 'met',
  label: t`Replies on time`,
  value: (totals) => shareOf(bothGoals(totals)),
  words: (totals) => percentOf(shareOf(bothGoals(totals))),
  isShare: true,
}

export const Totals = ({ report, filter: { channel } }: SectionProps) => {
  const { totals, before, open, overdue } = report
  const show = useShow()
  const isTimed = hasTargets(report)
  return (
    <div className="stack">
      <ul className={classNames('stats', isTimed && 'stats--ten')} aria-label={t`Figures`}>
        {(isTimed ? [...STATS, ON_TIME] : STATS).map(({ figure, label, value, words, isShare }) => {
          const change = changeWords(value(totals), value(before.totals))
          const has = value(totals) !== null && value(totals) !== 0
          const content = (
            <>
              <span className="stats__label">{label}</span>
              <span className="stats__value">{words(totals)}</span>
              <span className="stats__change">
                {change !== null &&
                  (isShare
                    ? t`${words(before.totals)} before`
                    : t`${change} (${words(before.totals)} before)`)}
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
          <Link to="/inbox/$view" params={{ view: 'open' }} search={{ channel }} className="stats__one grow">
            <span className="stats__label">{t`Open now`}</span>
            <span className="stats__value">{countOf(open)}</span>
            <span className="stats__change" />
          </Link>
        </li>
        {isTimed && (
          <li className="stack">
            <Link
              to="/inbox/$view"
              params={{ view: 'open' }}
              search={{ overdue: true, order: 'due', channel }}
              className="stats__one grow"
            >
              <span className="stats__label">{t`Overdue now`}</span>
              <span className="stats__value">{countOf(overdue)}</span>
              <span className="stats__change" />
            </Link>
          </li>
        )}
      </ul>
      <p className="text-soft text-small">
        {rich`Compared with ${dayWords(before.from)} – ${dayWords(before.to)}. Times are around the clock, also outside business hours. Select a figure to see its conversations.`}
      </p>
    </div>
  )
}
