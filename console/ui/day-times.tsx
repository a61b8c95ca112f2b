import { Plus, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from '../words/t.ts'
import { IconButton } from './button.tsx'
import { useFieldProblem } from './field.tsx'

type Period = { from: string; to: string }

const MIDNIGHT = '24:00'
const PERIODS_MAX = 6

/** When a day is open. Browsers have no 24:00, so the end of the day is shown as 00:00. */
export const DayTimes = ({
  day,
  label,
  name,
  periods,
  actions,
  onChange,
}: {
  /** For people who can't see which row it is. */
  day: string
  label: ReactNode
  /** The field that the server names when it refuses these times. None: another control shows that. */
  name?: string
  periods: readonly Period[]
  actions?: ReactNode
  onChange: (periods: Period[]) => void
}) => {
  const problem = useFieldProblem(name ?? '')
  const set = (index: number, change: Partial<Period>) =>
    onChange(periods.map((period, at) => (at === index ? { ...period, ...change } : period)))
  const last = periods.at(-1)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset can't be a grid in all browsers
    <div className="day" role="group" aria-label={day}>
      <div className="text-strong">{label}</div>
      <div className="day__times">
        {periods.length === 0 && <span className="text-soft">{t`Closed`}</span>}
        {periods.map(({ from, to }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: periods have nothing else that tells them apart
          <div key={index} className="row">
            <input
              type="time"
              className="input input--time"
              name={name}
              aria-label={t`${day}: opens`}
              aria-invalid={problem ? true : undefined}
              value={from}
              onChange={({ target }) => set(index, { from: target.value })}
            />
            <span aria-hidden>–</span>
            <input
              type="time"
              className="input input--time"
              name={name}
              aria-label={t`${day}: closes`}
              aria-invalid={problem ? true : undefined}
              value={to === MIDNIGHT ? '00:00' : to}
              onChange={({ target }) =>
                set(index, { to: target.value === '00:00' ? MIDNIGHT : target.value })
              }
            />
            <IconButton
              icon={X}
              label={t`${day}: remove ${from}–${to}`}
              onClick={() => onChange(periods.filter((_, at) => at !== index))}
            />
          </div>
        ))}
      </div>
      <div className="row">
        {actions}
        <IconButton
          icon={Plus}
          label={t`${day}: add times`}
          disabled={periods.length >= PERIODS_MAX || last?.to === MIDNIGHT}
          onClick={() =>
            onChange([...periods, last ? { from: last.to, to: MIDNIGHT } : { from: '09:00', to: '17:00' }])
          }
        />
      </div>
      {problem && (
        <p className="field__problem day__problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}
