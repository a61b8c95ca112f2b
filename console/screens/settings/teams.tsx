import { Plus, Users } from 'lucide-react'
import type { ManagedTeam } from '../../state/types.ts'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Item, ItemList } from '../../ui/item-list.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { SkeletonRows } from '../../ui/spinner.tsx'
import { t } from '../../words/t.ts'
import { AnswerTargetsSection } from './answer-targets.tsx'
import { useSetting } from './use-setting.ts'

export type ManagedTeams = { teams: ManagedTeam[] }

export const TeamsSettings = () => {
  const { data, error, refetch } = useSetting<ManagedTeams>('teams', '/managed-teams')
  return (
    <SidePage
      title={t`Teams`}
      about={t`Move conversations to a team, and see what waits in each. What people may see is decided by their role.`}
      actions={
        <ButtonLink to="/settings/teams/$teamId" params={{ teamId: 'new' }} variant="primary" icon={Plus}>
          {t`New team`}
        </ButtonLink>
      }
    >
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={2} />
      ) : data.teams.length === 0 ? (
        <EmptyState icon={Users} title={t`No teams yet`}>
          {t`Create one, such as “Support”, and add its members.`}
        </EmptyState>
      ) : (
        <ItemList label={t`Teams`}>
          {data.teams.map((team) => (
            <Item
              key={team.id}
              lead={<Users size={20} style={{ color: team.color }} aria-hidden />}
              title={<bdi>{team.name}</bdi>}
              about={namesOf(team)}
              meta={team.assignment !== 'off' && <Badge>{MODES[team.assignment]}</Badge>}
              link={{ to: '/settings/teams/$teamId', params: { teamId: team.id } }}
            />
          ))}
        </ItemList>
      )}
      <AnswerTargetsSection />
    </SidePage>
  )
}

const MODES = { round_robin: t`In turn`, least_busy: t`Least busy` } as const

const NAMED_MAX = 4

const namesOf = ({ members }: ManagedTeam): string => {
  if (members.length === 0) return t`No members`
  const names = members.slice(0, NAMED_MAX).map(({ nickname }) => nickname)
  const more = members.length - names.length
  return more > 0 ? t`${names.join(', ')} and ${more} more` : names.join(', ')
}
