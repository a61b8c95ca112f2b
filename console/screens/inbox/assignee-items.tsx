// Who conversations can be assigned to.
import { Bot, UserRoundMinus } from 'lucide-react'
import type { Agent, ConversationRow } from '../../state/types.ts'
import { Avatar } from '../../ui/badge.tsx'
import type { PickerItem } from '../../ui/picker.tsx'
import { t } from '../../words/t.ts'

export const UNASSIGN = 'unassign'

/** The agent first; last, an item that unassigns it, if it is assigned. */
export const assigneeItems = (
  agents: readonly Agent[],
  assignment: Pick<NonNullable<ConversationRow['assignment']>, 'agentId'> | null,
  ownId: string,
): PickerItem[] => {
  const others = agents.filter(({ id }) => id !== assignment?.agentId)
  const mineFirst = [...others.filter(({ id }) => id === ownId), ...others.filter(({ id }) => id !== ownId)]
  const items: PickerItem[] = mineFirst.map(({ id, nickname, role, isOnline, isAway }) => ({
    id,
    text: id === ownId ? t`Me (${nickname})` : nickname,
    content: (
      <>
        {role === 'ai' ? (
          <Bot size={18} aria-hidden />
        ) : (
          <Avatar name={nickname} seed={id} size="small" isOnline={isOnline} />
        )}
        <bdi className="truncate">{id === ownId ? t`Me` : nickname}</bdi>
      </>
    ),
    hint: role === 'ai' ? t`AI` : isAway ? t`Away` : isOnline ? t`Online` : undefined,
  }))
  if (!assignment) return items
  const unassign = {
    id: UNASSIGN,
    text: t`Unassigned`,
    content: (
      <>
        <UserRoundMinus size={18} aria-hidden />
        <span>{t`Unassigned`}</span>
      </>
    ),
    hint: assignment.agentId === ownId ? 'Shift+A' : undefined,
  }
  return [...items, unassign]
}
