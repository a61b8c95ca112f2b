// Which team gets the conversations that customers begin on a channel.
import { useMutation, useQuery } from '@tanstack/react-query'
import { useApi } from '../../state/session.tsx'
import { teamsQuery } from '../../state/teams.ts'
import type { ShownChannel } from '../../state/types.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { Select } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { useSettingsChanged } from './use-setting.ts'

const ChannelTeam = ({ channel: { id, teamId } }: { channel: ShownChannel }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const { data: teams, error, refetch } = useQuery(teamsQuery(api))
  const save = useMutation({
    mutationFn: (teamId: string | null) => api.put(`/channels/${id}/team`, { teamId }),
    onSuccess: async () => {
      await changed()
      toast(t`Saved`)
    },
  })
  return (
    <Section title={t`Team`} about={t`Gets new conversations that customers start on this channel.`}>
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !teams ? (
        <Skeleton lines={2} />
      ) : teams.length === 0 ? (
        <div className="row">
          <ButtonLink to="/settings/teams">{t`Create a team`}</ButtonLink>
        </div>
      ) : (
        <Form error={save.error} onSubmit={({ teamId = '' }) => save.mutate(teamId || null)}>
          <Select
            key={teamId}
            label={t`Team`}
            name="teamId"
            options={[
              { value: '', label: t`No team` },
              ...teams.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            defaultValue={teamId ?? ''}
          />
          <div className="row">
            <Button type="submit" isBusy={save.isPending}>
              {t`Save team`}
            </Button>
          </div>
        </Form>
      )}
    </Section>
  )
}
export default ChannelTeam
