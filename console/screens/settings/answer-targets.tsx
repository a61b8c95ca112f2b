import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiError } from '../../state/api.ts'
import { useApi } from '../../state/session.tsx'
import type { AnswerTargets } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox, TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { HoursSelect } from './team-assignment.tsx'
import { useSetting, useSettingsChanged } from './use-setting.ts'

type Minutes = Pick<AnswerTargets, 'firstAnswerMinutes' | 'nextAnswerMinutes'>

const FIELDS = [
  { name: 'firstAnswerMinutes', label: t`First reply within (minutes)` },
  { name: 'nextAnswerMinutes', label: t`Later replies within (minutes)` },
] as const

export const MinutesFields = ({
  minutes,
  placeholder,
  onChange,
}: {
  minutes: Minutes
  placeholder: string
  onChange: (change: Partial<Minutes>) => void
}) =>
  FIELDS.map(({ name, label }) => (
    <TextField
      key={name}
      label={label}
      name={name}
      type="number"
      min={1}
      max={43200}
      placeholder={placeholder}
      value={minutes[name] ?? ''}
      onChange={({ target }) => onChange({ [name]: target.value === '' ? null : Number(target.value) })}
    />
  ))

/** The workspace’s targets, where a team has none of its own. */
export const AnswerTargetsSection = () => {
  const { data } = useSetting<AnswerTargets>('answer-targets', '/answer-targets')
  return data ? <Targets key={JSON.stringify(data)} saved={data} /> : null
}

const Targets = ({ saved }: { saved: AnswerTargets }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const [draft, setDraft] = useState(saved)
  const set = (change: Partial<AnswerTargets>) => setDraft({ ...draft, ...change })
  const save = useMutation<unknown, ApiError>({
    mutationFn: () => api.put('/answer-targets', draft),
    onSuccess: async () => {
      toast(t`Saved`)
      await changed()
    },
  })
  return (
    <Section
      title={t`Response times`}
      about={t`Conversations show when a reply is due, and you’re notified of those that are overdue. Teams can have their own.`}
    >
      <Form error={save.error} onSubmit={() => save.mutate()}>
        <div className="stack stack--fields">
          <MinutesFields minutes={draft} placeholder={t`No target`} onChange={set} />
          <HoursSelect
            label={t`Business hours`}
            hint={t`Time outside these hours isn’t counted.`}
            hoursId={draft.hoursId}
            onChange={(hoursId) => set({ hoursId })}
          />
          <Checkbox
            label={t`Count replies by the AI agent`}
            checked={draft.aiCounts}
            onChange={({ target }) => set({ aiCounts: target.checked })}
          />
          <div className="row">
            <Button type="submit" variant="primary" isBusy={save.isPending}>
              {t`Save response times`}
            </Button>
          </div>
        </div>
      </Form>
    </Section>
  )
}
