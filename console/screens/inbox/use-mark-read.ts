import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { patchConversation } from '../../state/conversations.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { Timeline } from '../../state/timeline.ts'
import type { ConversationDetails } from '../../state/types.ts'

const NONE = 'none'

/** Marks visible messages and notes as read, and remembers where the unread ones began when the conversation was opened. */
export const useMarkRead = (
  conversationId: string,
  details: ConversationDetails | undefined,
  timeline: Timeline | undefined,
): string | null => {
  const api = useApi()
  const client = useQueryClient()
  const unreadCount = details?.conversation.unreadCount ?? 0
  const newest = timeline?.rows.find(
    (entry) => entry.kind === 'message' && entry.message.senderType === 'customer',
  )
  const newestId = newest?.kind === 'message' ? newest.message.id : undefined
  const note = timeline?.rows.find(({ kind }) => kind === 'note')
  const noteId = note?.kind === 'note' ? note.note.id : NONE
  const isLoaded = timeline !== undefined
  const [isVisible, setVisible] = useState(document.visibilityState === 'visible')
  useEffect(() => {
    const look = (): void => setVisible(document.visibilityState === 'visible')
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])

  const first = useRef<string | null | undefined>(undefined)
  if (first.current === undefined && details && timeline) {
    const inbound = timeline.rows.filter(
      (entry) => entry.kind === 'message' && entry.message.senderType === 'customer',
    )
    const entry = unreadCount > 0 ? inbound[Math.min(unreadCount, inbound.length) - 1] : undefined
    first.current = entry?.kind === 'message' ? entry.message.id : null
  }

  const marked = useRef<string | undefined>(undefined)
  useEffect(() => {
    const upTo = `${newestId ?? NONE} ${noteId}`
    if (!isVisible || !isLoaded || unreadCount === 0 || marked.current === upTo) return
    marked.current = upTo
    api.post(`/conversations/${conversationId}/read`, { upToMessageId: newestId }).then(
      () => {
        patchConversation(client, api.workspaceId, conversationId, { unreadCount: 0 })
        void client.invalidateQueries({ queryKey: keys.counts(api.workspaceId) })
      },
      () => {
        // Viewing the conversation again retries it.
        marked.current = undefined
      },
    )
  }, [api, client, conversationId, isVisible, isLoaded, newestId, noteId, unreadCount])

  return first.current ?? null
}
