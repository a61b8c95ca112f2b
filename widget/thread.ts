// The visitor's thread in order: stored messages, then unsent ones. No DOM, no network. A message may arrive
// through the session, the stream and the response to its send, in any order; it is shown once.
import type { Attachment, Choice, Choices, Message } from './types.ts'

export type Outgoing = {
  clientId: string
  body: string
  createdAt: string
  /** A tap; `body` is the title of the option. */
  choice?: Choice
  /** Uploaded, and not yet in a message. */
  files?: Attachment[]
  isFailed?: boolean
  isRefused?: boolean
}

export type Bubble = {
  /** The client id of what was sent from here, so that its element on screen is reused from "sending" to "read". */
  key: string
  id: string | null
  senderType: Message['senderType']
  nickname: string
  body: string
  createdAt: string
  state: 'sending' | 'failed' | 'sent' | 'read'
  attachments: Attachment[]
  options: Choices['options']
  byEmail: Message['byEmail']
  reaction: string | null
  /** The option tapped last, also if the tap is still being sent. */
  chosen: number | null
  /** Whether the visitor has replied, by a tap or in words. */
  isAnswered: boolean
}

const messagesMax = 500
/** How far the visitor's clock may be ahead of the server's when an echo is matched with a sent message. */
const echoSkewMs = 120_000
const statusRank: Record<string, number> = { failed: 0, queued: 1, sent: 2, delivered: 3, read: 4 }

export type Thread = ReturnType<typeof createThread>

export const createThread = (unsent: Outgoing[]) => {
  const messages = new Map<string, Message>()
  const outbox = new Map<string, Outgoing>(
    unsent.map((item) => [item.clientId, { ...item, isFailed: false }]),
  )
  const clientIds = new Map<string, string>()

  const merge = (message: Message): void => {
    const known = messages.get(message.id)
    const isNewer = !known || rankOf(message.status) >= rankOf(known.status)
    messages.set(message.id, isNewer ? message : { ...message, status: known.status })
    if (message.clientId) claim(message.clientId, message.id)
    if (messages.size > messagesMax) forget(sorted()[0]?.id)
  }
  const claim = (clientId: string, messageId: string): void => {
    clientIds.set(messageId, clientId)
    outbox.delete(clientId)
  }
  const forget = (messageId: string | undefined): void => {
    if (messageId === undefined) return
    messages.delete(messageId)
    clientIds.delete(messageId)
  }
  const sorted = (): Message[] =>
    [...messages.values()].sort((a, b) => compare(a.createdAt, b.createdAt) || compare(a.id, b.id))

  const change = (clientId: string, changes: Partial<Outgoing>): void => {
    const item = outbox.get(clientId)
    if (item) outbox.set(clientId, { ...item, ...changes })
  }

  return {
    merge,
    has: (messageId: string): boolean => messages.has(messageId),
    clear: (): void => messages.clear(),
    setStatus: (messageId: string, status: string): void => {
      const known = messages.get(messageId)
      // Agents read threads to the end: when the visitor's last message was read, so were the earlier ones.
      const isReadThrough = status === 'read' && known?.senderType === 'customer'
      const concerned = isReadThrough
        ? sorted().filter(({ id, senderType }) => senderType === 'customer' && id <= messageId)
        : [known]
      for (const message of concerned)
        if (message && rankOf(status) > rankOf(message.status))
          messages.set(message.id, { ...message, status })
    },
    setReaction: (messageId: string, reaction: string | null): void => {
      const known = messages.get(messageId)
      if (known) messages.set(messageId, { ...known, reaction })
    },
    enqueue: (item: Outgoing): unknown => outbox.set(item.clientId, item),
    /** The server has stored it: the bubble becomes that message. */
    settle: (clientId: string, message: Message): void => {
      claim(clientId, message.id)
      merge(message)
    },
    fail: (clientId: string, isRefused: boolean): void => change(clientId, { isFailed: true, isRefused }),
    remove: (clientId: string): boolean => outbox.delete(clientId),
    retry: (clientId: string): void => change(clientId, { isFailed: false, isRefused: false }),
    retryUnrefused: (): void => {
      for (const { clientId, isRefused } of outbox.values())
        if (!isRefused) change(clientId, { isFailed: false })
    },
    /** Drops items that another tab sent or discarded; the stream delivers the message itself. */
    keepOnlyUnsent: (unsent: string[]): void => {
      for (const clientId of outbox.keys()) if (!unsent.includes(clientId)) outbox.delete(clientId)
    },
    nextToSend: (): Outgoing | undefined => [...outbox.values()].find((item) => !item.isFailed),
    isFull: (bound: number): boolean => outbox.size >= bound,
    bubbles: (): Bubble[] => {
      const unidentified = sorted().filter(
        ({ id, senderType }) => senderType === 'customer' && !clientIds.has(id),
      )
      const echoes = findEchoes(unidentified, outbox.values())
      const stored = sorted().filter((message) => !echoes.has(message.id))
      const unsent = [...outbox.values()]
      const answers = readAnswers(stored, unsent)
      return [
        ...stored.map((message, index) => ({
          ...toBubble(message, clientIds.get(message.id)),
          ...answers(message.id, index),
        })),
        ...unsent.map(toUnsentBubble),
      ]
    },
    /** Messages to the visitor after the last one they saw. */
    unread: (seenId: string | null): Message[] => {
      const all = sorted()
      const from = all.findIndex((message) => message.id === seenId) + 1
      return all
        .slice(from)
        .filter((message) => message.senderType !== 'customer' && message.status !== 'read')
    },
    /**
     * The client id of a tap. It is the same in all tabs until the tap is stored, so that a tap in two tabs is one
     * message; a later tap on the same button is another.
     */
    tapIdOf: ({ messageId, number }: Choice): string => {
      const taps = sorted().filter(({ choice }) => choice?.messageId === messageId)
      return `tap:${messageId}:${number}:${taps.length}`
    },
    isRead: (messageId: string): boolean => messages.get(messageId)?.status === 'read',
    isBehind: (messageId: string, otherId: string | null): boolean => {
      const ids = sorted().map((message) => message.id)
      return ids.indexOf(messageId) > (otherId === null ? -1 : ids.indexOf(otherId))
    },
  }
}

/**
 * Stored messages that are echoes of something still in the outbox: its bubble stands in for them until the response
 * to the send identifies them.
 */
const findEchoes = (stored: Message[], unsent: Iterable<Outgoing>): Set<string> => {
  const echoes = new Set<string>()
  for (const item of unsent) {
    const earliestMs = Date.parse(item.createdAt) - echoSkewMs
    const echo = stored.find(
      ({ id, body, createdAt }) =>
        body === item.body && Date.parse(createdAt) >= earliestMs && !echoes.has(id),
    )
    if (echo) echoes.add(echo.id)
  }
  return echoes
}

/** How the visitor replied to the stored messages; what failed to be sent doesn't count. */
const readAnswers = (stored: Message[], unsent: Outgoing[]) => {
  const sending = unsent.filter(({ isFailed }) => !isFailed)
  const chosen = new Map<string, number>()
  for (const { choice } of [...stored, ...sending]) if (choice) chosen.set(choice.messageId, choice.number)
  const lastOwnIndex = stored.map(({ senderType }) => senderType).lastIndexOf('customer')
  return (messageId: string, index: number) => ({
    chosen: chosen.get(messageId) ?? null,
    isAnswered: index < lastOwnIndex || sending.length > 0,
  })
}

const toBubble = (message: Message, clientId: string | undefined): Bubble => ({
  key: clientId ?? message.id,
  id: message.id,
  senderType: message.senderType,
  nickname: message.sender?.nickname ?? '',
  body: message.choices?.text ?? message.body,
  createdAt: message.createdAt,
  state: message.status === 'read' ? 'read' : 'sent',
  attachments: message.attachments ?? [],
  options: message.choices?.options ?? [],
  byEmail: message.byEmail ?? null,
  reaction: message.reaction ?? null,
  chosen: null,
  isAnswered: false,
})

const toUnsentBubble = (item: Outgoing): Bubble => ({
  key: item.clientId,
  id: null,
  senderType: 'customer',
  nickname: '',
  body: item.body,
  createdAt: item.createdAt,
  state: item.isFailed ? 'failed' : 'sending',
  attachments: item.files ?? [],
  options: [],
  byEmail: null,
  reaction: null,
  chosen: null,
  isAnswered: false,
})

const rankOf = (status: string): number => statusRank[status] ?? 0
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
