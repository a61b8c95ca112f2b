import { useMutation } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Trash2, X } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { ApiError } from '../../state/api.ts'
import { useApi } from '../../state/session.tsx'
import type { BusinessHours, NewBusinessHours } from '../../state/types.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Checkbox, Select, TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { DeleteDialog } from '../../ui/lazy-dialogs.ts'
import { Section } from '../../ui/page.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.tsx'
import { timeZones, WeekTimes } from '../../ui/week-times.tsx'
import { t } from '../../words/t.ts'
import { BackLink } from './back-link.tsx'
import type { BusinessHoursList } from './business-hours.tsx'
import { OtherDates } from './other-dates.tsx'
import { useSetting, useSettingsChanged } from './use-setting.ts'

const NINE_TO_FIVE = [{ from: '09:00', to: '17:00' }]

const newHours = (isDefault: boolean): NewBusinessHours => ({
  name: '',
  isDefault,
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  weekly: {
    mon: NINE_TO_FIVE,
    tue: NINE_TO_FIVE,
    wed: NINE_TO_FIVE,
    thu: NINE_TO_FIVE,
    fri: NINE_TO_FIVE,
  },
  exceptions: [],
})

/** One of the workspace's business hours, or new ones. */
export const EditBusinessHours = () => {
  const { hoursId } = useParams({ from: '/signed/settings/business-hours/$hoursId' })
  const { data, error, refetch } = useSetting<BusinessHoursList>('business-hours', '/business-hours')
  if (error) return <LoadProblem error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={6} />
  const { businessHours } = data
  const hours = businessHours.find(({ id }) => id === hoursId)
  if (hours || hoursId === 'new')
    return <Edit key={hoursId} hours={hours ?? null} isFirst={businessHours.length === 0} />
  return (
    <EmptyState
      title={t`Business hours not found`}
      action={<ButtonLink to="/settings/business-hours">{t`View business hours`}</ButtonLink>}
    >
      {t`They may have been deleted.`}
    </EmptyState>
  )
}

const Edit = ({ hours, isFirst }: { hours: BusinessHours | null; isFirst: boolean }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const navigate = useNavigate()
  const [{ id: _, ...draft }, setDraft] = useState<NewBusinessHours & { id?: string }>(
    hours ?? newHours(isFirst),
  )
  const [isDeleting, setDeleting] = useState(false)
  const set = (change: Partial<NewBusinessHours>) => setDraft({ ...draft, ...change })
  const save = useMutation<unknown, ApiError, NewBusinessHours>({
    mutationFn: (given) =>
      hours ? api.put(`/business-hours/${hours.id}`, given) : api.post('/business-hours', given),
    onSuccess: async () => {
      await changed()
      toast(hours ? t`Saved` : t`Business hours created`)
      void navigate({ to: '/settings/business-hours' })
    },
  })
  return (
    <SidePage
      title={hours ? <bdi>{hours.name}</bdi> : t`New business hours`}
      back={<BackLink to="businessHours" />}
      actions={
        hours && (
          <Button icon={Trash2} onClick={() => setDeleting(true)}>
            {t`Delete`}
          </Button>
        )
      }
    >
      <Form error={save.error} onSubmit={() => save.mutate(trimmed(draft))}>
        <Section>
          <div className="stack stack--fields">
            <TextField
              label={t`Name`}
              name="name"
              value={draft.name}
              maxLength={60}
              placeholder={t`e.g. Support`}
              autoFocus={!hours}
              onChange={({ target }) => set({ name: target.value })}
            />
            <Select
              label={t`Time zone`}
              name="timeZone"
              value={draft.timeZone}
              options={timeZones(draft.timeZone)}
              onChange={({ target }) => set({ timeZone: target.value })}
            />
            <Checkbox
              label={t`Default`}
              hint={
                hours?.isDefault
                  ? t`To change it, make other business hours the default.`
                  : t`Flows use these unless a step names others.`
              }
              checked={draft.isDefault}
              disabled={hours?.isDefault ?? isFirst}
              onChange={({ target }) => set({ isDefault: target.checked })}
            />
          </div>
        </Section>
        <Section title={t`Week`} about={t`00:00 as the end is midnight.`}>
          <WeekTimes name="weekly" weekly={draft.weekly} onChange={(weekly) => set({ weekly })} />
        </Section>
        <Section title={t`Other dates`} about={t`Holidays and days with other times. They replace the week.`}>
          <OtherDates exceptions={draft.exceptions} onChange={(exceptions) => set({ exceptions })} />
        </Section>
        <div className="row">
          <Button type="submit" variant="primary" isBusy={save.isPending}>
            {hours ? t`Save` : t`Create`}
          </Button>
          <ButtonLink to="/settings/business-hours" icon={X}>
            {t`Cancel`}
          </ButtonLink>
        </div>
      </Form>
      <Suspense>
        {hours && isDeleting && (
          <DeleteDialog
            what={t`business hours`}
            name={hours.name}
            onClose={() => setDeleting(false)}
            onDelete={async () => {
              await api.delete(`/business-hours/${hours.id}`)
              await navigate({ to: '/settings/business-hours' })
              await changed()
            }}
          />
        )}
      </Suspense>
    </SidePage>
  )
}

/** An empty name of a date is none. */
const trimmed = (draft: NewBusinessHours): NewBusinessHours => ({
  ...draft,
  name: draft.name.trim(),
  exceptions: draft.exceptions.map(({ name, ...rest }) => ({
    ...rest,
    ...(name?.trim() && { name: name.trim() }),
  })),
})
