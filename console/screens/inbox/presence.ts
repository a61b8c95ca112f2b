// Reports that the agent is viewing or typing in a conversation.
import { useEffect, useRef } from 'react'
import type { WorkspaceApi } from '../../state/api.ts'
import { useSession } from '../../state/session.tsx'

const REPEAT_MS = 20_000
const TYPING_REPEAT_MS = 4_000
const TYPING_ENDS_MS = 6_000

const say = (api: WorkspaceApi, conversationId: string, state: 'viewing' | 'typing' | 'left'): void => {
  // Nothing depends on it, so failures are not retried.
  void fetch(api.url(`/conversations/${conversationId}/presence`), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-foyer-console': '1' },
    body: JSON.stringify({ state }),
    keepalive: true,
  }).catch(() => {})
}

/** Returns a function to call on every keystroke in the reply. */
export const useOwnPresence = (conversationId: string): (() => void) => {
  const { api } = useSession()
  const typedMs = useRef(Number.NEGATIVE_INFINITY)
  const saidTypingMs = useRef(Number.NEGATIVE_INFINITY)

  const stop = useRef<ReturnType<typeof setTimeout>>(undefined)

  useEffect(() => {
    const repeat = (): void => {
      if (document.visibilityState !== 'visible') return
      const isTyping = performance.now() - typedMs.current < TYPING_ENDS_MS
      say(api, conversationId, isTyping ? 'typing' : 'viewing')
    }
    const leave = (): void => say(api, conversationId, 'left')
    const onVisible = (): void => (document.visibilityState === 'visible' ? repeat() : leave())
    repeat()
    const timer = setInterval(repeat, REPEAT_MS)
    document.addEventListener('visibilitychange', onVisible)
    window.addEventListener('pagehide', leave)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', onVisible)
      window.removeEventListener('pagehide', leave)
      clearTimeout(stop.current)
      leave()
    }
  }, [api, conversationId])

  return () => {
    const now = performance.now()
    typedMs.current = now
    clearTimeout(stop.current)
    stop.current = setTimeout(() => {
      saidTypingMs.current = Number.NEGATIVE_INFINITY
      say(api, conversationId, 'viewing')
    }, TYPING_ENDS_MS)
    if (now - saidTypingMs.current < TYPING_REPEAT_MS) return
    saidTypingMs.current = now
    say(api, conversationId, 'typing')
  }
}
