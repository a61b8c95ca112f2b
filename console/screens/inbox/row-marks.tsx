// What few rows of the list have: a priority, tags, a snooze. Loaded with the first.
import { isUntilReply } from '../../state/conversations.ts'
import { dateTimeOf, fullMoment, timeOf } from '../../state/dates.ts'
import type { ConversationRow as Row } from '../../state/types.ts'
import { t } from '../../words/t.ts'
import { dueWords } from './due-words.ts'

const PRIORITY_WORDS = ['', t`Low priority`, t`High priority`, t`Urgent`]

export const Priority = ({ priority }: { priority: number }) => (
  <span className={`convo__priority convo__priority--${priority}`} title={PRIORITY_WORDS[priority]}>
    <span aria-hidden>{['', '↓', '!', '!!'][priority]}</span>
    <span className="hidden-visually">{PRIORITY_WORDS[priority]}</span>
  </span>
)

const SHOWN_TAGS_MAX = 2

/** In the row, a tag is its colour and the beginning of its name. */
export const Tags = ({ tags }: Pick<Row, 'tags'>) => (
  <span className="convo__tags" title={tags.map(({ name }) => name).join(', ')}>
    {tags.slice(0, SHOWN_TAGS_MAX).map(({ id, name, color }) => (
      <span key={id} className="convo__tag">
        <span className="tag__dot" style={{ background: color }} aria-hidden />
        <bdi className="truncate">{name}</bdi>
      </span>
    ))}
    {tags.length > SHOWN_TAGS_MAX && <span>+{tags.length - SHOWN_TAGS_MAX}</span>}
  </span>
)

/** By when the customer has to be answered, or since when that is late. Follows the clock with the row. */
export const Due = ({ at }: { at: string }) => {
  const isLate = Date.parse(at) <= Date.now()
  return (
    <span className={isLate ? 'text-danger' : undefined} title={t`Reply due ${fullMoment(at)}`}>
      {dueWords(at)}
    </span>
  )
}

const DAY_MS = 86_400_000

/** The end of a snooze: the time if it is within a day, else the date as well. */
export const Until = ({ until }: { until: string }) => {
  const isSoon = Date.parse(until) - Date.now() < DAY_MS
  return (
    <>{isUntilReply(until) ? t`Until they reply` : t`Until ${isSoon ? timeOf(until) : dateTimeOf(until)}`}</>
  )
}
