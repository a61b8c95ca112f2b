import { useMutation } from '@tanstack/react-query'
import { request } from '../../state/api.ts'
import { fullMoment } from '../../state/dates.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/page.tsx'
import { toastError } from '../../ui/toast.tsx'
import { rich, t } from '../../words/t.ts'

const HOUR_MS = 3_600_000
const MORNING_HOUR = 8

const tomorrowMorning = (): Date => {
  const morning = new Date()
  morning.setDate(morning.getDate() + 1)
  morning.setHours(MORNING_HOUR, 0, 0, 0)
  return morning
}

/** Quiet for a while. */
export const Pause = ({ until, onChanged }: { until: string | null; onChanged: () => void }) => {
  const pause = useMutation({
    mutationFn: (end: Date | null) =>
      request('PUT', '/notifications/pause', { body: { until: end?.toISOString() ?? null } }),
    onSuccess: onChanged,
    onError: toastError,
  })
  if (until)
    return (
      <Banner
        tone="warn"
        action={
          <Button isBusy={pause.isPending} onClick={() => pause.mutate(null)}>
            {t`Resume`}
          </Button>
        }
      >
        {rich`Notifications are paused until ${fullMoment(until)}.`}
      </Banner>
    )
  return (
    <Section title={t`Pause`}>
      <div className="row row--wrap">
        <Button disabled={pause.isPending} onClick={() => pause.mutate(new Date(Date.now() + HOUR_MS))}>
          {t`Pause for 1 hour`}
        </Button>
        <Button disabled={pause.isPending} onClick={() => pause.mutate(tomorrowMorning())}>
          {t`Pause until tomorrow`}
        </Button>
      </div>
    </Section>
  )
}
