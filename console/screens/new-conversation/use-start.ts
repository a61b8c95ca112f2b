import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import type { ApiError } from '../../state/api.ts'
import { useSession } from '../../state/session.tsx'
import type { OutgoingEmail } from '../../state/types.ts'

type Start = {
  channelId: string
  body: string
  attachmentIds?: string[]
  email?: OutgoingEmail
  phone?: string
  name?: string
}

const newKey = (): string => crypto.randomUUID?.() ?? String(Math.random())

/** Starts the conversation once, however often it is tried. */
export const useStart = (onStarted: (conversationId: string) => void) => {
  const { api, session } = useSession()
  const key = useRef(newKey())
  return useMutation({
    mutationFn: (start: Start) =>
      api.post<{ conversationId: string }>(
        '/new-conversation',
        { ...start, undoSeconds: session.account.undoSeconds },
        { idempotencyKey: key.current },
      ),
    onSuccess: ({ conversationId }) => onStarted(conversationId),
    onError: (error) => {
      // A new body needs a new key; after no response, the key stays the same.
      if ((error as ApiError).status >= 400 && (error as ApiError).status < 500) key.current = newKey()
    },
  })
}
