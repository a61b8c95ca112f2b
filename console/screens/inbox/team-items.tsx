// Teams in the pickers of whom to assign to.
import { Users } from 'lucide-react'
import type { ConversationRow, Team } from '../../state/types.ts'
import type { PickerItem } from '../../ui/picker.tsx'
import { t } from '../../words/t.ts'

const PREFIX = 'team '
const NONE = `${PREFIX}none`

/** The team last chosen, if an item is one: null takes the team away. */
export const teamOf = (id: string, teams: readonly Team[]): Team | null | undefined =>
  id === NONE ? null : teams.find((team) => `${PREFIX}${team.id}` === id)

/** All but the one that it has; last, an item that takes it away. */
export const teamItems = (teams: readonly Team[], has: ConversationRow['team']): PickerItem[] => [
  ...teams
    .filter(({ id }) => id !== has?.id)
    .map(({ id, name, color, members }) => ({
      id: `${PREFIX}${id}`,
      text: name,
      content: (
        <>
          <Users size={18} style={{ color }} aria-hidden />
          <bdi className="truncate">{name}</bdi>
        </>
      ),
      hint: members.length === 1 ? t`1 member` : t`${members.length} members`,
      group: t`Teams`,
    })),
  ...(has
    ? [
        {
          id: NONE,
          text: t`Remove from ${has.name}`,
          content: (
            <>
              <Users size={18} aria-hidden />
              <bdi className="truncate">{t`Remove from ${has.name}`}</bdi>
            </>
          ),
          group: t`Teams`,
        },
      ]
    : []),
]
