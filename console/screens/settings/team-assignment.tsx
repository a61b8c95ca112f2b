import { useQuery } from '@tanstack/react-query'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { BusinessHours, NewTeam } from '../../state/types.ts'
import { Checkbox, Select, TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { t } from '../../words/t.ts'

type Rules = Pick<NewTeam, 'assignment' | 'openLimit' | 'reassignsAway' | 'hoursId'>

const MODES = [
  { value: 'off', label: t`Off: people take what they want` },
  { value: 'round_robin', label: t`In turn` },
  { value: 'least_busy', label: t`To whoever has the fewest open conversations` },
]

export const HoursSelect = ({
  label,
  hint,
  hoursId,
  onChange,
}: {
  label: string
  hint: string
  hoursId: string | null
  onChange: (hoursId: string | null) => void
}) => {
  const api = useApi()
  const { data } = useQuery({
    queryKey: keys.businessHours(api.workspaceId),
    queryFn: ({ signal }) => api.get<{ businessHours: BusinessHours[] }>('/business-hours', {}, signal),
  })
  return (
    <Select
      label={label}
      hint={hint}
      name="hoursId"
      value={hoursId ?? ''}
      options={[
        { value: '', label: t`At all times` },
        ...(data?.businessHours ?? []).map(({ id, name }) => ({ value: id, label: name })),
      ]}
      onChange={({ target }) => onChange(target.value || null)}
    />
  )
}

/** Whether what comes to the team goes to its people by itself, and to whom. */
export const TeamAssignment = ({
  draft,
  onChange,
}: {
  draft: Rules
  onChange: (change: Partial<Rules>) => void
}) => (
  <Section
    title={t`Assignment`}
    about={t`Members who have set themselves to away are skipped. What nobody can take waits in the team.`}
  >
    <div className="stack stack--fields">
      <Select
        label={t`Assign conversations automatically`}
        name="assignment"
        value={draft.assignment}
        options={MODES}
        onChange={({ target }) => {
          const mode = (['off', 'round_robin', 'least_busy'] as const).find((one) => one === target.value)
          onChange({ assignment: mode ?? 'off' })
        }}
      />
      {draft.assignment !== 'off' && (
        <>
          <TextField
            label={t`Limit of open conversations per person`}
            hint={t`Counts all that are assigned to them, without snoozed ones. Empty for no limit.`}
            name="openLimit"
            type="number"
            min={1}
            max={1000}
            value={draft.openLimit ?? ''}
            onChange={({ target }) =>
              onChange({ openLimit: target.value === '' ? null : Number(target.value) })
            }
          />
          <Checkbox
            label={t`Reassign when the customer writes and their person is away`}
            checked={draft.reassignsAway}
            onChange={({ target }) => onChange({ reassignsAway: target.checked })}
          />
        </>
      )}
      <HoursSelect
        label={t`Hours`}
        hint={t`Nothing is assigned automatically outside of them.`}
        hoursId={draft.hoursId}
        onChange={(hoursId) => onChange({ hoursId })}
      />
    </div>
  </Section>
)
