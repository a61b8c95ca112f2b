// Why the list is empty, and what to do. Loaded when it is.
import { CheckCheck, Inbox as InboxIcon } from 'lucide-react'
import type { ListFilter } from '../../state/conversations.ts'
import { useSession } from '../../state/session.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { t } from '../../words/t.ts'

const NothingHere = ({
  filter: { view, channel, unread, order, tag, agent, team, overdue, failed, account, language },
}: {
  filter: ListFilter
}) => {
  const { can } = useSession()
  if (order) return <EmptyState icon={CheckCheck} title={t`Nobody is waiting for a reply`} />
  if (unread) return <EmptyState icon={CheckCheck} title={t`You’re all caught up`} />
  if (tag || agent || team || overdue || failed || account || language)
    return <EmptyState icon={InboxIcon} title={t`Nothing matches these filters`} />
  if (channel) return <EmptyState icon={InboxIcon} title={t`Nothing on this channel`} />
  if (view === 'unassigned' && !can('see_all_conversations'))
    return (
      <EmptyState icon={InboxIcon} title={t`You only see conversations assigned to you`}>
        {t`Ask an admin if you need to see unassigned ones.`}
      </EmptyState>
    )
  const words = {
    mine: [t`Nothing is assigned to you`, t`Open one from Unassigned and press A to assign it.`],
    unassigned: [t`Nothing is unassigned`, t`New conversations will appear here.`],
    open: [t`All done`, t`New messages will appear here.`],
    snoozed: [t`Nothing is snoozed`, t`Press Z in a conversation to snooze it.`],
    mentions: [t`Nobody has mentioned you`, t`Notes that mention you will be found here.`],
    closed: [t`No closed conversations`, t`Press E in a conversation to close it.`],
    all: [t`No conversations yet`, t`They will appear here when customers write.`],
  }[view]
  return (
    <EmptyState icon={view === 'open' ? CheckCheck : InboxIcon} title={words[0]!}>
      {words[1]}
    </EmptyState>
  )
}

export default NothingHere
