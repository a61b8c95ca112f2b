import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Check, CheckCheck, CircleAlert, Clock, RotateCcw } from 'lucide-react'
import { refreshConversation } from '../../state/conversations.ts'
import { useApi } from '../../state/session.tsx'
import { putMessage } from '../../state/timeline.ts'
import type { Message } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { toastError } from '../../ui/toast.tsx'
import type { Meta } from './metadata.ts'

const WORDS: Record<Message['status'], string> = {
  queued: 'On its way',
  sent: 'Sent',
  delivered: 'Delivered',
  read: 'Read',
  failed: 'Failed',
}

/** How far an outbound message got. */
export const Delivery = ({ status }: { status: Message['status'] }) => {
  const Icon = { queued: Clock, sent: Check, delivered: CheckCheck, read: CheckCheck, failed: CircleAlert }[
    status
  ]
  return (
    <span className={`delivery delivery--${status}`}>
      <Icon size={14} aria-hidden />
      <span>{WORDS[status]}</span>
    </span>
  )
}

/** Why it failed, in words, and another try. */
export const Failure = ({ message, meta }: { message: Message; meta: Meta }) => {
  const api = useApi()
  const client = useQueryClient()
  const retry = useMutation({
    mutationFn: () => api.post<{ message: Message }>(`/messages/${message.id}/retry`),
    onSuccess: ({ message }) => {
      putMessage(client, api.workspaceId, message)
      refreshConversation(client, api.workspaceId, message.conversationId)
    },
    onError: toastError,
  })
  return (
    <div className="failure" role="note">
      <CircleAlert size={14} aria-hidden />
      <span>
        Not delivered. <bdi>{meta.error?.message ?? 'The channel gave no reason.'}</bdi>
      </span>
      <Button size="small" icon={RotateCcw} isBusy={retry.isPending} onClick={() => retry.mutate()}>
        Try again
      </Button>
    </div>
  )
}
