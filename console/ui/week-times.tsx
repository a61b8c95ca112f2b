import { Copy } from 'lucide-react'
import { IconButton } from './button.tsx'
import { DayTimes } from './day-times.tsx'

export const DAYS = [
  { id: 'mon', name: 'Monday', short: 'Mon' },
  { id: 'tue', name: 'Tuesday', short: 'Tue' },
  { id: 'wed', name: 'Wednesday', short: 'Wed' },
  { id: 'thu', name: 'Thursday', short: 'Thu' },
  { id: 'fri', name: 'Friday', short: 'Fri' },
  { id: 'sat', name: 'Saturday', short: 'Sat' },
  { id: 'sun', name: 'Sunday', short: 'Sun' },
] as const

type Period = { from: string; to: string }
type Weekly = Partial<Record<(typeof DAYS)[number]['id'], Period[]>>

/** The browser's time zones, for a Select. */
export const timeZones = (current: string) =>
  [...new Set([current, 'UTC', ...Intl.supportedValuesOf('timeZone')])]
    .sort()
    .map((value) => ({ value, label: value.replaceAll('_', ' ') }))

/** The times of each day of the week. `name`: of the field. */
export const WeekTimes = ({
  name,
  weekly,
  onChange,
}: {
  name: string
  weekly: Weekly
  onChange: (weekly: Weekly) => void
}) => (
  <div className="stack stack--tight">
    {DAYS.map((day) => (
      <DayTimes
        key={day.id}
        day={day.name}
        label={day.name}
        name={`${name}.${day.id}`}
        periods={weekly[day.id] ?? []}
        actions={
          day.id === 'mon' && (
            <IconButton
              icon={Copy}
              label="Use Monday’s times from Tuesday to Friday"
              onClick={() => {
                const { mon = [] } = weekly
                onChange({ ...weekly, tue: mon, wed: mon, thu: mon, fri: mon })
              }}
            />
          )
        }
        onChange={(periods) => onChange({ ...weekly, [day.id]: periods })}
      />
    ))}
  </div>
)
