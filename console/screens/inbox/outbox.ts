// Unsent messages per conversation, in the order they were written. Each item keeps one Idempotency-Key for all
// attempts, so retrying never sends it twice, and stays in this browser until the server has it, so a reload loses
// nothing.
import type { QueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { ApiError, type WorkspaceApi } from '../../state/api.ts'
import { refreshConversation } from '../../state/conversations.ts'
import { keys } from '../../state/query-keys.ts'
import { entryId, putMessage, type Timeline } from '../../state/timeline.ts'
import type { Attachment, Message } from '../../state/types.ts'
import type { Quoted } from './drafts.ts'

export type Outgoing = {
  /** Used as the Idempotency-Key. */
  key: string
  kind: 'reply' | 'note'
  body: string
  attachments: Attachment[]
  /** Email: the recipient, if the agent chose one. */
  sendTo?: string | undefined
  quoted?: Quoted | null | undefined
  /** The AI agent's draft that it was written from. */
  draftId?: string | null | undefined
  createdAt: string
  state: 'sending' | 'failed'
  problem?: string
  /** Retrying can't succeed: it can only be edited or discarded. */
  isRefused?: boolean
  /** The newest entries when it was written: none of them is its echo. */
  knownIds: string[]
}

type Written = Pick<Outgoing, 'kind' | 'body' | 'attachments' | 'sendTo' | 'quoted' | 'draftId'>

const PREFIX = 'foyer.outbox.'
const RETRY_IN_MS = [1_000, 3_000, 8_000]
const KNOWN_MAX = 50

type Box = { items: Outgoing[]; isSending: boolean }
const boxes = new Map<string, Box>()
const listeners = new Set<() => void>()
const NONE: Outgoing[] = []

const nameOf = (w: string, conversationId: string): string => `${PREFIX}${w}.${conversationId}`

const boxOf = (name: string): Box => {
  let box = boxes.get(name)
  if (!box) {
    let items: Outgoing[] = []
    try {
      // The last attempt may have reached the server; the key makes retrying safe.
      items = (JSON.parse(localStorage.getItem(name) ?? '[]') as Outgoing[]).map((item) => ({
        ...item,
        state: 'failed',
        problem: item.problem ?? 'The page was closed before the server responded.',
      }))
    } catch {
      localStorage.removeItem(name)
    }
    box = { items, isSending: false }
    boxes.set(name, box)
  }
  return box
}

const change = (name: string, items: Outgoing[]): void => {
  boxOf(name).items = items
  try {
    if (items.length > 0) localStorage.setItem(name, JSON.stringify(items))
    else localStorage.removeItem(name)
  } catch {
    // With full storage a reload loses the outbox, but sending still works.
  }
  for (const listener of listeners) listener()
}
const patch = (name: string, key: string, changed: Partial<Outgoing>): void =>
  change(
    name,
    boxOf(name).items.map((item) => (item.key === key ? { ...item, ...changed } : item)),
  )
const drop = (name: string, key: string): void =>
  change(
    name,
    boxOf(name).items.filter((item) => item.key !== key),
  )

const isPassing = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.status === 0 ||
    error.status >= 500 ||
    error.status === 429 ||
    error.code === 'IDEMPOTENCY_KEY_IN_USE')

export const makeOutbox = (client: QueryClient, api: WorkspaceApi, conversationId: string) => {
  const w = api.workspaceId
  const name = nameOf(w, conversationId)

  const deliver = async ({
    key,
    kind,
    body,
    attachments,
    sendTo,
    quoted,
    draftId,
  }: Outgoing): Promise<void> => {
    if (kind === 'note') {
      const mentionedIds = body.includes('@')
        ? await (await import('./mentions.ts')).mentionedIn(client, api, conversationId, body)
        : []
      await api.post('/notes', { conversationId, body, mentionedIds }, { idempotencyKey: key })
      await client.invalidateQueries({ queryKey: keys.timeline(w, conversationId) })
      return
    }
    const attachmentIds = attachments.map(({ id }) => id)
    const { message } = await api.post<{ message: Message }>(
      `/conversations/${conversationId}/messages`,
      {
        ...(attachmentIds.length > 0 ? { ...(body ? { body } : {}), attachmentIds } : { body }),
        ...(sendTo !== undefined && { sendTo }),
        ...(quoted && { replyTo: quoted.id }),
        ...(draftId && { draftId }),
      },
      { idempotencyKey: key },
    )
    putMessage(client, w, message)
  }

  const attempt = async (item: Outgoing): Promise<void> => {
    for (let tries = 0; ; tries++) {
      try {
        await deliver(item)
        drop(name, item.key)
        refreshConversation(client, w, conversationId)
        return
      } catch (error) {
        const waitMs = RETRY_IN_MS[tries]
        if (!isPassing(error) || waitMs === undefined || navigator.onLine === false) {
          patch(name, item.key, {
            state: 'failed',
            problem: error instanceof Error ? error.message : 'Couldn’t send it.',
            isRefused: !isPassing(error),
          })
          // The reply window may have closed in the meantime, which changes the composer.
          void client.invalidateQueries({ queryKey: keys.details(w, conversationId) })
          return
        }
        await new Promise((resolve) => setTimeout(resolve, waitMs))
      }
    }
  }

  /** One at a time, so that they arrive in order. */
  const run = async (): Promise<void> => {
    const box = boxOf(name)
    if (box.isSending) return
    box.isSending = true
    for (;;) {
      const next = box.items.find(({ state }) => state === 'sending')
      if (!next) break
      await attempt(next)
    }
    box.isSending = false
  }

  return {
    send: (written: Written): void => {
      const known = client.getQueryData<Timeline>(keys.timeline(w, conversationId))?.rows ?? []
      change(name, [
        ...boxOf(name).items,
        {
          key: crypto.randomUUID?.() ?? `${Date.now()}-${Math.random().toString(36).slice(2)}`,
          ...written,
          createdAt: new Date().toISOString(),
          state: 'sending',
          knownIds: known.slice(0, KNOWN_MAX).map(entryId),
        },
      ])
      void run()
    },
    retry: (key: string): void => {
      patch(name, key, { state: 'sending', problem: undefined, isRefused: undefined })
      void run()
    },
    discard: (key: string): void => drop(name, key),
    /** The message is in the thread: it was sent although the request seemed to fail. */
    settle: (key: string): void => {
      const item = boxOf(name).items.find((other) => other.key === key)
      if (item?.state === 'failed') drop(name, key)
    },
  }
}
export type Outbox = ReturnType<typeof makeOutbox>

export const useOutgoing = (w: string, conversationId: string): Outgoing[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => {
      const { items } = boxOf(nameOf(w, conversationId))
      return items.length > 0 ? items : NONE
    },
  )

/** Warns before leaving a page with unsent messages. */
export const useUnsentWarning = (items: readonly Outgoing[]): void => {
  const isSending = items.some(({ state }) => state === 'sending')
  useEffect(() => {
    if (!isSending) return
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [isSending])
}
