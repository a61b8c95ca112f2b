import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Check, CheckCheck, CircleAlert, Clock, RotateCcw } from 'lucide-react'
import { refreshConversation } from '../../state/conversations.ts'
import { useApi } from '../../state/session.tsx'
import { putMessage } from '../../state/timeline.ts'
import type { Message } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { toastError } from '../../ui/toast.tsx'
import { rich, t } from '../../words/t.ts'
import type { Meta } from './metadata.ts'

const WORDS: Record<Message['status'], string> = {
  queued: t`Sending`,
  sent: t`Sent`,
  delivered: t`Delivered`,
  read: t`Read`,
  failed: t`Failed`,
}

/** The delivery status of an outbound message. */
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

/** Why sending failed, with a retry button. */
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
      <span>{rich`Not delivered. ${<bdi>{meta.error?.message ?? t`No reason given.`}</bdi>}`}</span>
      <Button size="small" icon={RotateCcw} isBusy={retry.isPending} onClick={() => retry.mutate()}>
        {t`Try again`}
      </Button>
    </div>
  )
}
