import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type ApiError, request } from '../../state/api.ts'
import { notificationsQuery } from '../../state/device.ts'
import type { NotificationSettings, OwnNotifications } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { Checkbox, Select, Switch, TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.tsx'
import { timeZones, WeekTimes } from '../../ui/week-times.tsx'
import { t } from '../../words/t.ts'
import { KindChoices } from './kind-choices.tsx'
import { Pause } from './pause.tsx'
import { ThisBrowser } from './this-browser.tsx'

/** How this person is notified, in all of their workspaces. */
export const Notifications = () => {
  const { data, error, refetch } = useQuery(notificationsQuery)
  return (
    <Page title={t`Notifications`} about={t`For you alone, in all of your workspaces.`}>
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <>
          <Pause until={data.pausedUntil} onChanged={() => void refetch()} />
          <ThisBrowser pushKey={data.pushKey} />
          <Settings own={data} onSaved={() => void refetch()} />
        </>
      ) : (
        <Skeleton lines={8} />
      )}
    </Page>
  )
}

const NINE_TO_SIX = [{ from: '09:00', to: '18:00' }]
const WORKDAYS = { mon: NINE_TO_SIX, tue: NINE_TO_SIX, wed: NINE_TO_SIX, thu: NINE_TO_SIX, fri: NINE_TO_SIX }

const newHours = (): NonNullable<NotificationSettings['hours']> => ({
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  weekly: WORKDAYS,
})

const Settings = ({ own, onSaved }: { own: OwnNotifications; onSaved: () => void }) => {
  const [draft, setDraft] = useState(own.settings)
  const set = (change: Partial<NotificationSettings>) => setDraft({ ...draft, ...change })
  const { hours } = draft
  const save = useMutation<unknown, ApiError>({
    mutationFn: () => request('PUT', '/notifications', { body: draft }),
    onSuccess: () => {
      toast(t`Saved`)
      onSaved()
    },
  })
  return (
    <Form error={save.error} onSubmit={() => save.mutate()}>
      <Section title={t`What you’re notified of`}>
        <div className="stack stack--fields">
          <KindChoices settings={draft} onChange={set} />
          <Checkbox
            label={t`Show the text in notifications and emails`}
            hint={t`Without it, they only say who it’s about.`}
            checked={draft.showText}
            onChange={({ target }) => set({ showText: target.checked })}
          />
        </div>
      </Section>
      <Section
        title={t`Email`}
        about={
          own.sendsMail
            ? t`One email about everything that still waits, if you weren’t online and nobody replied.`
            : t`This server can’t send email. Ask whoever runs it to set SMTP_URL.`
        }
      >
        <TextField
          label={t`Send it after (minutes)`}
          name="emailAfterMinutes"
          type="number"
          min={1}
          max={1440}
          value={draft.emailAfterMinutes}
          onChange={({ target }) => set({ emailAfterMinutes: Number(target.value) })}
        />
      </Section>
      <Section title={t`Quiet hours`} about={t`No notifications, sounds or emails outside of your hours.`}>
        <Switch
          label={t`Only notify me at certain times`}
          checked={hours !== null}
          onChange={({ target }) => set({ hours: target.checked ? newHours() : null })}
        />
        {hours && (
          <div className="stack stack--fields">
            <Select
              label={t`Time zone`}
              name="hours.timeZone"
              value={hours.timeZone}
              options={timeZones(hours.timeZone)}
              onChange={({ target }) => set({ hours: { ...hours, timeZone: target.value } })}
            />
            <WeekTimes
              name="hours.weekly"
              weekly={hours.weekly}
              onChange={(weekly) => set({ hours: { ...hours, weekly } })}
            />
          </div>
        )}
      </Section>
      <div className="row">
        <Button type="submit" variant="primary" isBusy={save.isPending}>
          {t`Save`}
        </Button>
      </div>
    </Form>
  )
}
