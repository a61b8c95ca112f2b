import { Copy } from 'lucide-react'
import { t } from '../words/t.ts'
import { IconButton } from './button.tsx'
import { DayTimes } from './day-times.tsx'

export const DAYS = [
  { id: 'mon', name: t`Monday`, short: t`Mon` },
  { id: 'tue', name: t`Tuesday`, short: t`Tue` },
  { id: 'wed', name: t`Wednesday`, short: t`Wed` },
  { id: 'thu', name: t`Thursday`, short: t`Thu` },
  { id: 'fri', name: t`Friday`, short: t`Fri` },
  { id: 'sat', name: t`Saturday`, short: t`Sat` },
  { id: 'sun', name: t`Sunday`, short: t`Sun` },
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
              label={t`Use Monday’s times from Tuesday to Friday`}
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
