import { useState } from 'react'
import { readDuration } from '../../../../flow-engine/duration.ts'
import { FormField } from '../../../ui/field.tsx'
import { t } from '../../../words/t.ts'

const UNITS = [
  { unit: 'D', ms: 86_400_000, label: 'days' },
  { unit: 'H', ms: 3_600_000, label: 'hours' },
  { unit: 'M', ms: 60_000, label: 'minutes' },
  { unit: 'S', ms: 1_000, label: 'seconds' },
] as const
type Unit = (typeof UNITS)[number]['unit']

/** In the largest unit that has no remainder: a day and two hours are 26 hours. */
const split = (duration: string): { count: number; unit: Unit } => {
  const ms = readDuration(duration) ?? 0
  const { unit, ms: unitMs } = UNITS.find((one) => ms > 0 && ms % one.ms === 0) ?? UNITS[1]
  return { count: ms / unitMs, unit }
}

const join = (count: number, unit: Unit): string => (unit === 'D' ? `P${count}D` : `PT${count}${unit}`)

/** A duration as a number and its unit. */
export const DurationInput = ({
  label,
  isLabelHidden,
  hint,
  value,
  isDisabled,
  onChange,
}: {
  label: string
  isLabelHidden?: boolean
  hint?: string
  value: string
  isDisabled?: boolean
  onChange: (duration: string) => void
}) => {
  const [shown, setShown] = useState(() => split(value))
  const current = join(shown.count, shown.unit) === value ? shown : split(value)
  const write = (count: number, unit: Unit): void => {
    setShown({ count, unit })
    onChange(join(count, unit))
  }
  return (
    <FormField label={label} isLabelHidden={isLabelHidden} hint={hint}>
      {(wiring) => (
        <span className="row">
          <input
            {...wiring}
            className="input input--count"
            type="number"
            min={1}
            max={999}
            disabled={isDisabled}
            value={current.count || ''}
            onChange={({ target }) =>
              write(Math.max(0, Math.min(999, Math.floor(Number(target.value)))), current.unit)
            }
          />
          <select
            className="input input--select input--unit"
            aria-label={t`Unit of ${label}`}
            disabled={isDisabled}
            value={current.unit}
            onChange={({ target }) => write(current.count, target.value as Unit)}
          >
            {UNITS.map(({ unit, label }) => (
              <option key={unit} value={unit}>
                {label}
              </option>
            ))}
          </select>
        </span>
      )}
    </FormField>
  )
}
