// Who a conversation is assigned to, and a picker of whom to assign it to.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Bot, UserRound, UserRoundMinus, UserRoundPlus, Users } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useCommands } from '../../state/commands.ts'
import { keys } from '../../state/query-keys.ts'
import { useSession } from '../../state/session.tsx'
import { teamsQuery } from '../../state/teams.ts'
import type { Agent, ConversationDetails } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { Popover } from '../../ui/popover.tsx'
import { t } from '../../words/t.ts'
import { assigneeItems, UNASSIGN } from './assignee-items.tsx'
import { teamItems, teamOf } from './team-items.tsx'
import type { Actions } from './use-actions.ts'

// Loaded when needed: most conversations are opened without using the picker.
const Picker = lazy(async () => ({ default: (await import('../../ui/picker.tsx')).Picker }))

export const Assign = ({
  conversation,
  actions,
  hasKeys,
}: {
  conversation: ConversationDetails['conversation']
  actions: Actions
  hasKeys: boolean
}) => {
  const { assignment, team } = conversation
  const { api, session, can } = useSession()
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const { data } = useQuery({
    queryKey: keys.agents(api.workspaceId),
    queryFn: ({ signal }) => api.get<{ agents: Agent[] }>('/agents', {}, signal),
  })
  const agents = data?.agents ?? []
  const { data: teams = [] } = useQuery({ ...teamsQuery(api), enabled: isOpen })
  const ownId = session.account.id
  const isMine = assignment?.agentId === ownId
  // Without the permission, agents may only hand over their own conversations.
  const mayAssign = can('assign_conversations') || isMine
  const group = t`Conversation`
  const assign = { id: 'assign', label: t`Assign…`, group, keys: 'a', icon: UserRoundPlus }
  const unassign = { id: 'unassign', label: t`Unassign`, group, keys: 'shift+a', icon: UserRoundMinus }
  useCommands([
    ...(hasKeys && mayAssign ? [{ ...assign, run: () => setOpen(true) }] : []),
    ...(hasKeys && isMine ? [{ ...unassign, run: () => void actions.unassign() }] : []),
  ])

  const label = assignment ? (isMine ? t`You` : assignment.agentNickname) : (team?.name ?? t`Assign`)
  if (!mayAssign)
    return (
      <span className="text-soft text-small truncate">
        <bdi>{assignment || team ? label : t`Unassigned`}</bdi>
      </span>
    )
  return (
    <Popover
      label={t`Assign`}
      isOpen={isOpen}
      onOpenChange={setOpen}
      isFlush
      trigger={
        <Button
          variant="secondary"
          icon={assignment?.isAi ? Bot : !assignment && team ? Users : UserRound}
          className="convo-head__assign"
          data-tip={
            assignment
              ? t`Assigned to ${assignment.agentNickname}`
              : team
                ? t`In the team ${team.name}`
                : t`Assign`
          }
          data-tip-keys="a"
        >
          <bdi className="truncate">{label}</bdi>
        </Button>
      }
    >
      <Suspense>
        <Picker
          label={t`Assign to`}
          placeholder={t`Assign to…`}
          empty={t`No matching teammates.`}
          items={[...assigneeItems(agents, assignment, ownId), ...teamItems(teams, team)]}
          onPick={(id) => {
            setOpen(false)
            const to = teamOf(id, teams)
            if (to !== undefined) {
              if (to) actions.goOn('assigned')
              void import('./bulk.ts').then(({ changeRows, teaming }) =>
                changeRows({ client, api }, [conversation], teaming(to), actions.comeBack),
              )
            }
            const agent = agents.find((other) => other.id === id)
            if (id === UNASSIGN) void actions.unassign()
            else if (agent) void actions.assign(agent)
          }}
        />
      </Suspense>
    </Popover>
  )
}
