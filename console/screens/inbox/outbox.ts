// Unsent messages per conversation, in the order they were written. Each item keeps one Idempotency-Key for all
// attempts, so retrying never sends it twice, and stays in this browser until the server has it, so a reload or an
// outage loses nothing: it goes on by itself when the server can be reached.
import type { QueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { ApiError, type WorkspaceApi } from '../../state/api.ts'
import { refreshConversation } from '../../state/conversations.ts'
import { type Held, putHeld } from '../../state/held.ts'
import { keys } from '../../state/query-keys.ts'
import { entryId, putMessage, type Timeline } from '../../state/timeline.ts'
import type { Attachment, HeldMessage, Message, OutgoingEmail, Session } from '../../state/types.ts'
import { toast, toastError } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import type { Afterwards, Quoted } from './drafts.ts'
import { isOpen } from './returned.ts'

export type Outgoing = {
  /** Used as the Idempotency-Key. */
  key: string
  kind: 'reply' | 'note'
  body: string
  attachments: Attachment[]
  /** Email: the recipient, if the agent chose one. */
  sendTo?: string | undefined
  quoted?: Quoted | null
  /** Of an email: whom it goes to, and what it has beside its text. */
  email?: OutgoingEmail | undefined
  /** The AI agent's draft that it was written from. */
  draftId?: string | null
  /** The newest message that its author had seen; not set: whatever others have replied. */
  seenId?: string | null | undefined
  undoSeconds?: number
  thenClose?: boolean
  after?: Afterwards | null
  createdAt: string
  /** `waiting`: for the server. `held`: by the server, which sends it at `dueMs`. */
  state: 'sending' | 'waiting' | 'held' | 'failed'
  heldId?: string
  dueMs?: number
  template?: HeldMessage['template']
  problem?: string
  code?: string
  /** The newest entries when it was written: none of them is its echo. */
  knownIds: string[]
}

type Written = Pick<
  Outgoing,
  | 'kind'
  | 'body'
  | 'attachments'
  | 'sendTo'
  | 'quoted'
  | 'email'
  | 'draftId'
  | 'seenId'
  | 'thenClose'
  | 'after'
>

const PREFIX = 'foyer.outbox.'
const RETRY_IN_MS = [1_000, 3_000, 8_000]
const WAIT_MS = 15_000
/** The server forgets keys after a day: what is older is sent again only by hand. */
const KEY_KEPT_MS = 20 * 3_600_000
const KNOWN_MAX = 50

type Box = { items: Outgoing[]; isSending: boolean; timer?: ReturnType<typeof setTimeout> }
const boxes = new Map<string, Box>()
const listeners = new Set<() => void>()
const NONE: Outgoing[] = []

/** Of one person, because the next one who signs in here must not send them. */
const prefixOf = (client: QueryClient, w: string): string =>
  `${PREFIX}${w}.${client.getQueryData<Session>(keys.session)?.account.id}.`

const boxOf = (name: string): Box => {
  let box = boxes.get(name)
  if (!box) {
    let items: Outgoing[] = []
    try {
      items = JSON.parse(localStorage.getItem(name) ?? '[]') as Outgoing[]
    } catch {
      localStorage.removeItem(name)
    }
    box = { items: items.map(resumed), isSending: false }
    boxes.set(name, box)
  }
  return box
}

/** The last attempt may have reached the server; the key makes retrying safe. */
const resumed = (item: Outgoing): Outgoing =>
  item.state === 'failed'
    ? item
    : Date.now() - Date.parse(item.createdAt) > KEY_KEPT_MS
      ? { ...item, state: 'failed', problem: t`This was written a while ago and may not have been sent.` }
      : { ...item, state: 'waiting' }

// Another tab has changed it: what it sent or discarded is not to be sent from here.
window.addEventListener('storage', ({ key }) => {
  if (!key?.startsWith(PREFIX) || boxes.get(key)?.isSending) return
  boxes.delete(key)
  for (const listener of listeners) listener()
})

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

const deliver = async (
  client: QueryClient,
  api: WorkspaceApi,
  conversationId: string,
  {
    key,
    kind,
    body,
    attachments,
    sendTo,
    quoted,
    email,
    draftId,
    seenId,
    undoSeconds,
    thenClose,
    after,
  }: Outgoing,
): Promise<void> => {
  const w = api.workspaceId
  if (kind === 'note') {
    const mentionedIds = body.includes('@')
      ? await (await import('./mentions.ts')).mentionedIn(client, api, conversationId, body)
      : []
    const attachmentIds = attachments.map(({ id }) => id)
    // A note has a text.
    const text = body || attachments.map(({ name }) => name).join(', ')
    await api.post(
      '/notes',
      { conversationId, body: text, mentionedIds, attachmentIds },
      { idempotencyKey: key },
    )
    await client.invalidateQueries({ queryKey: keys.timeline(w, conversationId) })
    return
  }
  const attachmentIds = attachments.map(({ id }) => id)
  const answer = await api.post<{ message: Message } | { held: HeldMessage }>(
    `/conversations/${conversationId}/messages`,
    {
      ...(attachmentIds.length > 0 ? { ...(body ? { body } : {}), attachmentIds } : { body }),
      sendTo,
      ...(quoted && { replyTo: quoted.id }),
      email,
      ...(draftId && { draftId }),
      ...(seenId !== undefined && { seenMessageId: seenId }),
      ...(undoSeconds && { undoSeconds }),
      ...(thenClose && { thenClose }),
      ...(after && { after: toFollow(after) }),
    },
    { idempotencyKey: key },
  )
  if ('held' in answer) return putHeld(client, w, answer.held)
  putMessage(client, w, answer.message)
  if (thenClose || after?.closes)
    toast(t`Closed`, {
      action: {
        label: t`Undo`,
        run: () =>
          void api
            .post(`/conversations/${conversationId}/reopen`)
            .then(() => refreshConversation(client, w, conversationId), toastError),
      },
    })
}

export const toFollow = ({ tags, assignee, closes }: Afterwards) => ({
  tagIds: tags.map(({ id }) => id),
  assigneeId: assignee?.id ?? null,
  closes,
})

/** Goes on with everything that the person has not sent in this workspace. */
export const resumeOutboxes = (client: QueryClient, api: WorkspaceApi): void => {
  const prefix = prefixOf(client, api.workspaceId)
  for (const name of Object.keys(localStorage))
    if (name.startsWith(prefix)) makeOutbox(client, api, name.slice(prefix.length)).resume()
}

export const makeOutbox = (client: QueryClient, api: WorkspaceApi, conversationId: string) => {
  const w = api.workspaceId
  const name = prefixOf(client, w) + conversationId

  /** False while the server can't be reached. */
  const attempt = async (item: Outgoing): Promise<boolean> => {
    for (let tries = 0; ; tries++) {
      try {
        await deliver(client, api, conversationId, item)
        drop(name, item.key)
        refreshConversation(client, w, conversationId)
        return true
      } catch (error) {
        if (!isPassing(error)) {
          const { message, code } = error as ApiError
          patch(name, item.key, { state: 'failed', problem: message, code })
          if (!isOpen(conversationId)) toast(t`A message wasn’t sent. ${message}`, { tone: 'danger' })
          // Somebody may have replied, or the reply window may have closed in the meantime.
          void client.invalidateQueries({ queryKey: keys.timeline(w, conversationId) })
          void client.invalidateQueries({ queryKey: keys.details(w, conversationId) })
          return true
        }
        const waitMs = RETRY_IN_MS[tries]
        if (waitMs === undefined || navigator.onLine === false) {
          change(
            name,
            boxOf(name).items.map((one) => (one.state === 'sending' ? { ...one, state: 'waiting' } : one)),
          )
          return false
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
      const next = box.items.find(({ state }) => state === 'sending' || state === 'waiting')
      if (!next) break
      if (await attempt(next)) continue
      clearTimeout(box.timer)
      box.timer = setTimeout(resume, WAIT_MS)
      break
    }
    box.isSending = false
  }
  /** In one tab at a time, if the browser can tell. */
  const resume = (): void => void (navigator.locks ? navigator.locks.request(name, run) : run())

  return {
    send: (written: Written): void => {
      const known = client.getQueryData<Timeline>(keys.timeline(w, conversationId))?.rows ?? []
      change(name, [
        ...boxOf(name).items,
        {
          key: crypto.randomUUID?.() ?? `${Date.now()}-${Math.random().toString(36).slice(2)}`,
          undoSeconds: client.getQueryData<Session>(keys.session)?.account.undoSeconds,
          ...written,
          createdAt: new Date().toISOString(),
          state: 'sending',
          knownIds: known.slice(0, KNOWN_MAX).map(entryId),
        },
      ])
      void run()
    },
    resume,
    /** Once more, whatever others have replied meanwhile. */
    retry: (key: string): void => {
      patch(name, key, { state: 'sending', seenId: undefined, problem: undefined, code: undefined })
      void run()
    },
    discard: (key: string): void => drop(name, key),
    /** The message is in the thread: it was sent although the request seemed to fail. */
    settle: (key: string): void => {
      const item = boxOf(name).items.find((other) => other.key === key)
      if (item && item.state !== 'sending') drop(name, key)
    },
  }
}
export type Outbox = ReturnType<typeof makeOutbox>

/** What the server holds, as an item of the thread. */
export const asOutgoing = ({
  id,
  problem,
  dueMs,
  replyTo,
  msLeft: _,
  contactName: __,
  ...held
}: Held): Outgoing => ({
  ...held,
  key: id,
  heldId: id,
  kind: 'reply',
  quoted: replyTo === null ? null : { id: replyTo, name: '', text: '' },
  sendTo: held.sendTo ?? undefined,
  email: held.email ?? undefined,
  dueMs,
  state: problem ? 'failed' : dueMs > Date.now() ? 'held' : 'sending',
  ...(problem && { problem: problem.message, code: problem.code }),
  knownIds: [],
})

export const useOutgoing = (client: QueryClient, w: string, conversationId: string): Outgoing[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => {
      const { items } = boxOf(prefixOf(client, w) + conversationId)
      return items.length > 0 ? items : NONE
    },
  )

/** Warns before leaving a page with unsent messages. */
export const useUnsentWarning = (items: readonly Outgoing[]): void => {
  const isSending = items.some(({ state }) => state === 'sending' || state === 'waiting')
  useEffect(() => {
    if (!isSending) return
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [isSending])
}
