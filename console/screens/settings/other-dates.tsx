// The dates on which business hours differ: a single day, or one of every year.
import type { NewBusinessHours } from '../../state/types.ts'
import { DayTimes } from '../../ui/day-times.tsx'
import { Checkbox, TextField } from '../../ui/field.tsx'
import { FormRow, FormRows } from '../../ui/form-rows.tsx'
import { t } from '../../words/t.ts'

type Exceptions = NewBusinessHours['exceptions']

const YEARLY_LENGTH = 5
const DATES_MAX = 200

/** A date of every year has none in the browser's field, so this year's is shown. */
const shown = (date: string): string =>
  date.length === YEARLY_LENGTH ? `${new Date().getFullYear()}-${date}` : date

export const OtherDates = ({
  exceptions,
  onChange,
}: {
  exceptions: Exceptions
  onChange: (exceptions: Exceptions) => void
}) => {
  const set = (index: number, change: Partial<Exceptions[number]>) =>
    onChange(exceptions.map((one, at) => (at === index ? { ...one, ...change } : one)))
  return (
    <FormRows
      label={t`Other dates`}
      isLabelHidden
      addLabel={t`Add date`}
      onAdd={
        exceptions.length < DATES_MAX
          ? () => onChange([...exceptions, { date: '', name: '', periods: [] }])
          : undefined
      }
    >
      {exceptions.map(({ date, name = '', periods }, index) => {
        const isYearly = date.length === YEARLY_LENGTH
        const words = name || date || t`Date ${index + 1}`
        return (
          <FormRow
            // biome-ignore lint/suspicious/noArrayIndexKey: a date may be empty or there twice while it is edited
            key={index}
            removeLabel={t`Remove ${words}`}
            onRemove={() => onChange(exceptions.filter((_, at) => at !== index))}
          >
            <TextField
              label={t`Date`}
              type="date"
              name={`exceptions[${index}]`}
              value={shown(date)}
              onChange={({ target }) =>
                set(index, { date: isYearly ? target.value.slice(YEARLY_LENGTH) : target.value })
              }
            />
            <TextField
              label={t`Name`}
              value={name}
              maxLength={60}
              placeholder={t`e.g. Christmas`}
              onChange={({ target }) => set(index, { name: target.value })}
            />
            <Checkbox
              label={t`Every year`}
              checked={isYearly}
              disabled={date === ''}
              onChange={({ target }) =>
                set(index, { date: target.checked ? date.slice(YEARLY_LENGTH) : shown(date) })
              }
            />
            <DayTimes
              day={words}
              label={t`Open`}
              periods={periods}
              onChange={(next) => set(index, { periods: next })}
            />
          </FormRow>
        )
      })}
    </FormRows>
  )
}
