// Removing a channel: what it means for its conversations, flows and messages is said before, and what is left to do afterwards.

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Archive, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { countOf } from '../../state/amounts.ts'
import { useApi } from '../../state/session.tsx'
import type { RemovalPreview, RemovedChannel, ShownChannel } from '../../state/types.ts'
import { type CardChoice, ChoiceCards } from '../../ui/choice-cards.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { useSettingsChanged } from './use-setting.ts'

type Conversations = 'keep' | 'delete'

/** Where the server stops counting. */
const COUNTED_MAX = 100_000

const shownCount = (count: number): string => `${countOf(count)}${count === COUNTED_MAX ? '+' : ''}`

const conversationsOf = (count: number): string =>
  count === 1 ? t`1 conversation` : t`${shownCount(count)} conversations`

const choicesFor = ({ channel }: ShownChannel, count: number): CardChoice<Conversations>[] => [
  {
    value: 'keep',
    label: t`Keep ${conversationsOf(count)}`,
    about:
      channel === 'web'
        ? t`They stay readable, but can’t be replied to.`
        : t`They stay readable, but can’t be replied to. Adding the same account again continues them.`,
    icon: Archive,
  },
  {
    value: 'delete',
    label: t`Delete ${conversationsOf(count)}`,
    about: t`With their messages and files, for good. Contacts are kept.`,
    icon: Trash2,
  },
]

const waitingWords = (count: number): string =>
  count === 1
    ? t`1 message that hasn’t been sent yet will fail.`
    : t`${shownCount(count)} messages that haven’t been sent yet will fail.`

const flowWords = (flows: RemovalPreview['flows']): string => {
  const names = flows.map(({ name }) => `“${name}”`).join(', ')
  return flows.length === 1
    ? t`The flow ${names} names this channel, and won’t start on it any more.`
    : t`The flows ${names} name this channel, and won’t start on it any more.`
}

const RemoveChannel = ({ channel, onClose }: { channel: ShownChannel; onClose: () => void }) => {
  const api = useApi()
  const navigate = useNavigate()
  const changed = useSettingsChanged()
  const [conversations, setConversations] = useState<Conversations>('keep')
  const { data, error, refetch } = useQuery({
    queryKey: [api.workspaceId, 'channel-removal', channel.id],
    queryFn: ({ signal }) => api.get<RemovalPreview>(`/channels/${channel.id}/removal`, {}, signal),
    gcTime: 0,
  })
  return (
    <ConfirmDialog
      title={t`Remove “${channel.name}”?`}
      about={t`Its credentials are deleted, and messages to it are rejected from now on.`}
      confirmLabel={t`Remove channel`}
      isDanger
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        if (!data) throw new Error(t`Wait until the conversations have been counted.`)
        const { notice } = await api.post<RemovedChannel>(`/channels/${channel.id}/remove`, { conversations })
        await navigate({ to: '/settings/channels' })
        await changed()
        toast(notice ?? t`Channel removed`)
      }}
    >
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton lines={3} />
      ) : (
        <div className="stack stack--fields">
          {data.conversations > 0 ? (
            <ChoiceCards
              label={t`Conversations`}
              choices={choicesFor(channel, data.conversations)}
              value={conversations}
              onChange={setConversations}
            />
          ) : (
            <p>{t`It has no conversations.`}</p>
          )}
          {data.waiting > 0 && <p>{waitingWords(data.waiting)}</p>}
          {data.flows.length > 0 && <p className="user-text">{flowWords(data.flows)}</p>}
          {conversations === 'keep' && data.deleteAfterDays !== null && (
            <p>{t`Its rule for old conversations continues to apply.`}</p>
          )}
        </div>
      )}
    </ConfirmDialog>
  )
}
export default RemoveChannel
