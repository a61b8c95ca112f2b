import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Trash2, X } from 'lucide-react'
import { Suspense, useState } from 'react'
import { agentsQuery } from '../../state/agents.ts'
import type { ApiError } from '../../state/api.ts'
import { useApi } from '../../state/session.tsx'
import type { ManagedTeam, NewTeam } from '../../state/types.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { CheckGroup } from '../../ui/check-group.tsx'
import { ColorField, PRESET_COLORS } from '../../ui/color-field.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { DeleteDialog } from '../../ui/lazy-dialogs.ts'
import { Section } from '../../ui/page.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { MinutesFields } from './answer-targets.tsx'
import { BackLink } from './back-link.tsx'
import { TeamAssignment } from './team-assignment.tsx'
import type { ManagedTeams } from './teams.tsx'
import { useSetting, useSettingsChanged } from './use-setting.ts'

/** One of the workspace's teams, or a new one. */
export const EditTeam = () => {
  const { teamId } = useParams({ from: '/signed/settings/teams/$teamId' })
  const { data, error, refetch } = useSetting<ManagedTeams>('teams', '/managed-teams')
  if (error) return <LoadProblem error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={6} />
  const team = data.teams.find(({ id }) => id === teamId)
  if (team || teamId === 'new') return <Edit key={teamId} team={team ?? null} count={data.teams.length} />
  return (
    <EmptyState
      title={t`Team not found`}
      action={<ButtonLink to="/settings/teams">{t`View teams`}</ButtonLink>}
    >
      {t`It may have been deleted.`}
    </EmptyState>
  )
}

/** New teams go through the colors in turn. */
const draftOf = (team: ManagedTeam | null, count: number): NewTeam => ({
  name: team?.name ?? '',
  color: team?.color ?? PRESET_COLORS[count % PRESET_COLORS.length]!.value,
  memberIds: team?.members.map(({ id }) => id) ?? [],
  assignment: team?.assignment ?? 'off',
  openLimit: team?.openLimit ?? null,
  reassignsAway: team?.reassignsAway ?? false,
  hoursId: team?.hoursId ?? null,
  firstAnswerMinutes: team?.firstAnswerMinutes ?? null,
  nextAnswerMinutes: team?.nextAnswerMinutes ?? null,
})

const Edit = ({ team, count }: { team: ManagedTeam | null; count: number }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const navigate = useNavigate()
  const { data } = useQuery(agentsQuery(api))
  const [draft, setDraft] = useState(() => draftOf(team, count))
  const [isDeleting, setDeleting] = useState(false)
  const set = (change: Partial<NewTeam>) => setDraft((known) => ({ ...known, ...change }))
  const save = useMutation<unknown, ApiError, NewTeam>({
    mutationFn: (given) =>
      team ? api.put(`/managed-teams/${team.id}`, given) : api.post('/managed-teams', given),
    onSuccess: async () => {
      await changed()
      toast(team ? t`Saved` : t`Team created`)
      void navigate({ to: '/settings/teams' })
    },
  })
  const people = data?.agents.filter(({ role }) => role !== 'ai')
  return (
    <SidePage
      title={team ? <bdi>{team.name}</bdi> : t`New team`}
      back={<BackLink to="teams" />}
      actions={
        team && (
          <Button icon={Trash2} onClick={() => setDeleting(true)}>
            {t`Delete`}
          </Button>
        )
      }
    >
      <Form error={save.error} onSubmit={() => save.mutate({ ...draft, name: draft.name.trim() })}>
        <Section>
          <div className="stack stack--fields">
            <TextField
              label={t`Name`}
              name="name"
              value={draft.name}
              maxLength={60}
              placeholder={t`e.g. Support`}
              autoFocus={!team}
              onChange={({ target }) => set({ name: target.value })}
            />
            <ColorField
              label={t`Color`}
              name="color"
              value={draft.color}
              onPick={(color) => set({ color })}
            />
            <CheckGroup
              label={t`Members`}
              hint={t`They’re notified of what waits in the team. Their role decides what they may see.`}
              name="memberIds"
              options={people?.map(({ id, nickname }) => ({ value: id, label: <bdi>{nickname}</bdi> }))}
              chosen={draft.memberIds}
              onChange={(memberIds) => set({ memberIds })}
            />
          </div>
        </Section>
        <TeamAssignment draft={draft} onChange={set} />
        <Section title={t`Response times`} about={t`Time outside the team’s hours isn’t counted.`}>
          <div className="stack stack--fields">
            <MinutesFields minutes={draft} placeholder={t`As in the workspace`} onChange={set} />
          </div>
        </Section>
        <div className="row">
          <Button type="submit" variant="primary" isBusy={save.isPending}>
            {team ? t`Save` : t`Create team`}
          </Button>
          <ButtonLink to="/settings/teams" icon={X}>
            {t`Cancel`}
          </ButtonLink>
        </div>
      </Form>
      <Suspense>
        {team && isDeleting && (
          <DeleteDialog
            what={t`team`}
            name={team.name}
            about={t`Its open conversations stay with the people they’re assigned to, or become unassigned without a team.`}
            onClose={() => setDeleting(false)}
            onDelete={async () => {
              await api.delete(`/managed-teams/${team.id}`)
              await navigate({ to: '/settings/teams' })
              await changed()
            }}
          />
        )}
      </Suspense>
    </SidePage>
  )
}
