// Why the list is empty, and what to do. Loaded when it is.
import { CheckCheck, Inbox as InboxIcon } from 'lucide-react'
import type { ListFilter } from '../../state/conversations.ts'
import { useSession } from '../../state/session.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'

const NothingHere = ({
  filter: { view, channel, unread, order, tag, agent, team, overdue, failed, account, language },
}: {
  filter: ListFilter
}) => {
  const { can } = useSession()
  if (order) return <EmptyState icon={CheckCheck} title="Nobody is waiting for a reply" />
  if (unread) return <EmptyState icon={CheckCheck} title="You’re all caught up" />
  if (tag || agent || team || overdue || failed || account || language)
    return <EmptyState icon={InboxIcon} title="Nothing matches these filters" />
  if (channel) return <EmptyState icon={InboxIcon} title="Nothing on this channel" />
  if (view === 'unassigned' && !can('see_all_conversations'))
    return (
      <EmptyState icon={InboxIcon} title="You only see conversations assigned to you">
        Ask an admin if you need to see unassigned ones.
      </EmptyState>
    )
  const words = {
    mine: ['Nothing is assigned to you', 'Open one from Unassigned and press A to assign it.'],
    unassigned: ['Nothing is unassigned', 'New conversations will appear here.'],
    open: ['All done', 'New messages will appear here.'],
    snoozed: ['Nothing is snoozed', 'Press Z in a conversation to snooze it.'],
    mentions: ['Nobody has mentioned you', 'Notes that mention you will be found here.'],
    closed: ['No closed conversations', 'Press E in a conversation to close it.'],
    all: ['No conversations yet', 'They will appear here when customers write.'],
  }[view]
  return (
    <EmptyState icon={view === 'open' ? CheckCheck : InboxIcon} title={words[0]!}>
      {words[1]}
    </EmptyState>
  )
}

export default NothingHere
