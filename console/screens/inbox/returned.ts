// What was taken back before it was sent goes into the composer of its conversation: at once, or when that is opened.
import { useEffect } from 'react'
import type { Attachment, HeldMessage, Mail } from '../../state/types.ts'
import type { Afterwards, Quoted } from './drafts.ts'

export type Returned = {
  kind: 'reply' | 'note'
  body: string
  attachments: Attachment[]
  quoted?: Quoted | null
  draftId?: string | null
  after?: Afterwards | null
  template?: HeldMessage['template']
  html?: string | null
  mail?: Mail | null
}

const waiting = new Map<string, Returned>()
const takers = new Map<string, (returned: Returned) => void>()

/** Whether the composer of a conversation is on screen. */
export const isOpen = (conversationId: string): boolean => takers.has(conversationId)

export const giveBack = (conversationId: string, returned: Returned): void => {
  const take = takers.get(conversationId)
  if (take) take(returned)
  else waiting.set(conversationId, returned)
}

/** Calls the latest `take` with what comes back. */
export const useReturned = (conversationId: string, take: (returned: Returned) => void): void =>
  useEffect(() => {
    takers.set(conversationId, take)
    const returned = waiting.get(conversationId)
    waiting.delete(conversationId)
    if (returned) take(returned)
    return () => {
      takers.delete(conversationId)
    }
  })
