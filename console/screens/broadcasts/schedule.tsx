// When a broadcast goes out: at once, or at a time in a time zone, by default that of the business hours.
import { useQuery } from '@tanstack/react-query'
import { fullMoment } from '../../state/dates.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { BusinessHours } from '../../state/types.ts'
import { momentAt, wallTimeOf } from '../../state/wall-time.ts'
import { Select, TextField } from '../../ui/field.tsx'
import { timeZones } from '../../ui/week-times.tsx'
import { t } from '../../words/t.ts'
import type { Draft } from './draft.ts'

const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

/** The draft's time zone; until one is chosen, that of the default business hours. */
export const useZone = ({ timeZone }: Draft): string => {
  const api = useApi()
  const { data } = useQuery({
    queryKey: keys.businessHours(api.workspaceId),
    queryFn: ({ signal }) => api.get<{ businessHours: BusinessHours[] }>('/business-hours', {}, signal),
  })
  return timeZone || data?.businessHours.find(({ isDefault }) => isDefault)?.timeZone || OWN_ZONE
}

/** Why it can't go out then, or null. */
export const problemOfTime = (sendAt: string, zone: string, now = new Date()): string | null => {
  if (sendAt === '') return null
  const moment = momentAt(sendAt, zone)
  if (!moment) return t`Clocks skip this time. Choose another one.`
  return moment <= now ? t`This time has passed. Choose a later one.` : null
}

export const Schedule = ({
  draft,
  zone,
  isTried,
  onChange,
}: {
  draft: Draft
  zone: string
  isTried: boolean
  onChange: (change: Partial<Draft>) => void
}) => {
  const { sendAt } = draft
  const moment = sendAt === '' ? null : momentAt(sendAt, zone)
  const problem = problemOfTime(sendAt, zone)
  return (
    <>
      <TextField
        label={t`Send at (optional)`}
        type="datetime-local"
        min={wallTimeOf(new Date().toISOString(), zone)}
        hint={t`The recipients are fixed now. People who opt out before then are skipped.`}
        value={sendAt}
        problem={(isTried || sendAt !== '') && problem ? problem : undefined}
        onChange={({ target }) => onChange({ sendAt: target.value })}
      />
      {sendAt !== '' && (
        <Select
          label={t`Time zone`}
          value={zone}
          options={timeZones(zone)}
          hint={moment && zone !== OWN_ZONE ? t`For you: ${fullMoment(moment.toISOString())}` : undefined}
          onChange={({ target }) => onChange({ timeZone: target.value })}
        />
      )}
    </>
  )
}
