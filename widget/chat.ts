// The panel's entry point: connects the thread, the connection and the view. Loaded by the loader.
import { ApiFailure, createApi, isFinal, isUnauthorized } from './api.ts'
import { type ConnectionState, createConnection } from './connection.ts'
import { createPanel } from './panel.ts'
import type { ServerEvent } from './parse-events.ts'
import { openStoredSession, outboxMax } from './stored-session.ts'
import { createTeaser } from './teaser.ts'
import { createThread, type Outgoing } from './thread.ts'
import type { Chat, Conversation, Message, Session, Shell } from './types.ts'

const sendAttemptsMax = 2
/** Limits the new sessions per message, so a broken server doesn't cause endless requests. */
const renewalsMax = 2
const sendRetryMs = 1_000
const rateLimitWaitMaxMs = 30_000
const typingThrottleMs = 3_000
const typingIdleMs = 5_000
const agentTypingMaxMs = 10_000
const readDelayMs = 300

const startChat = (shell: Shell): Chat => {
  const stored = openStoredSession(shell.channelId)
  const api = createApi(shell.base, shell.channelId)
  const thread = createThread(stored.readOutbox())

  let profile = { name: shell.name, email: shell.email }
  let token = stored.readToken()
  let visitorId: string | null = null
  let visitorName = shell.name
  let conversation: Conversation | null = null
  let isReady = false
  let isOpen = false
  let isSending = false
  let renewals = 0
  let hasStarted = false
  let readId: string | null = null
  let reportTimer: ReturnType<typeof setTimeout> | undefined
  let agentTypingTimer: ReturnType<typeof setTimeout> | undefined
  let typingSentAt = 0
  let typingIdleTimer: ReturnType<typeof setTimeout> | undefined

  const panel = createPanel(shell, {
    draft: stored.readDraft(),
    onSend: (body) => send(body),
    onRetry: (clientId) => {
      thread.retry(clientId)
      render()
      connection.wake()
      void flush()
    },
    onRemove: (clientId) => {
      thread.remove(clientId)
      stored.removeFromOutbox(clientId)
      render()
    },
    onInput: (text) => {
      stored.writeDraft(text)
      announceTyping(text.trim() !== '')
    },
    onSeen: (messageId) => markSeen(messageId),
    onClose: () => close(),
  })

  const teaser = createTeaser(shell, () => open(true))

  const connection = createConnection({
    api,
    getToken: () => token,
    renewSession: async (mode) => {
      const session = await startSession()
      if (session.visitor.id !== visitorId && visitorId !== null) {
        thread.clear()
        readId = null
        stored.writeSeenId(null)
      }
      if (mode === 'replace') thread.clear()
      session.messages.forEach(accept)
      token = session.token
      visitorId = session.visitor.id
      visitorName = session.visitor.name ?? shell.name
      conversation = session.conversation
      isReady = true
      stored.writeToken(token)
      render()
      void flush()
      return session.lastEventId ?? null
    },
    onEvent: (event) => receive(event),
    onState: (state, error) => showState(state, error),
  })

  /** Each retry drops a field that was refused: at most three calls, then the error is thrown. */
  const startSession = async (): Promise<Session> => {
    try {
      return await api.startSession(token, profile)
    } catch (error) {
      if (isUnauthorized(error) && token !== null) token = null
      else if (error instanceof ApiFailure && error.status === 400 && (profile.name || profile.email)) {
        // The email is the field most likely to be invalid; a name without it is still useful.
        const refused = profile.email ? 'data-email' : 'data-name'
        console.warn(`Foyer: ${refused} was not accepted and is ignored.`)
        profile = { name: profile.email ? profile.name : '', email: '' }
      } else throw error
      return await startSession()
    }
  }

  const showState = (state: ConnectionState, error: unknown): void => {
    panel.setConnection(state)
    if (state === 'unavailable') {
      const code = error instanceof ApiFailure ? error.code : ''
      console.warn(`Foyer: ${code} for channel ${shell.channelId} on ${location.origin}.`)
    }
    if (state === 'connected') {
      thread.retryUnrefused()
      render()
      panel.reportSeen()
      void flush()
    }
  }

  const receive = (event: ServerEvent): void => {
    const data = parseData(event.data)
    if (event.event === 'message') {
      const { message } = data as { message: Message }
      accept(message)
      if (message.senderType !== 'customer') setAgentTyping(null)
    } else if (event.event === 'status') {
      const { messageId, status } = data as { messageId: string; status: string }
      thread.setStatus(messageId, status)
    } else if (event.event === 'conversation') {
      conversation = data as Conversation
    } else if (event.event === 'typing') {
      const { nickname, isTyping } = data as { nickname: string; isTyping: boolean }
      setAgentTyping(isTyping ? nickname : null)
      return
    } else if (event.event === 'presence') {
      panel.setPresence((data as { isOnline: boolean }).isOnline)
      return
    } else return
    render()
  }

  const accept = (message: Message): void => {
    thread.merge(message)
    if (message.clientId) stored.removeFromOutbox(message.clientId)
  }

  const setAgentTyping = (nickname: string | null): void => {
    clearTimeout(agentTypingTimer)
    panel.setTyping(nickname)
    if (nickname !== null) agentTypingTimer = setTimeout(() => panel.setTyping(null), agentTypingMaxMs)
  }

  const render = (): void => {
    panel.render({
      bubbles: thread.bubbles(),
      isClosed: conversation?.status === 'closed',
      isReady,
      visitorName,
    })
    const unread = thread.unread(stored.readSeenId())
    shell.setUnread(unread.length)
    teaser.render(isOpen ? undefined : unread[unread.length - 1])
  }

  /** Returns false, keeping the text in the composer, while too many messages are waiting. */
  const send = (body: string): boolean => {
    if (thread.isFull(outboxMax)) return false
    const item: Outgoing = { clientId: createClientId(), body, createdAt: new Date().toISOString() }
    stored.addToOutbox(item)
    stored.writeDraft('')
    thread.enqueue(item)
    announceTyping(false)
    render()
    void flush()
    return true
  }

  /** One message at a time, in the order they were written. */
  const flush = async (): Promise<void> => {
    if (isSending || !isReady) return
    isSending = true
    try {
      for (let item = thread.nextToSend(); item && isReady; item = thread.nextToSend()) {
        await deliver(item)
        render()
      }
    } finally {
      isSending = false
    }
  }

  const deliver = async ({ clientId, body }: Outgoing): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      try {
        const { message } = await api.sendMessage(token ?? '', { clientId, body })
        thread.settle(clientId, message)
        stored.removeFromOutbox(clientId)
        renewals = 0
        // A customer's message reopens a closed conversation.
        conversation = { id: message.conversationId, status: 'open' }
        return
      } catch (error) {
        if (isUnauthorized(error) && renewals < renewalsMax) {
          renewals++
          isReady = false
          connection.restart()
          return
        }
        if (isRefusal(error) || attempt >= sendAttemptsMax || !navigator.onLine) {
          thread.fail(clientId, isRefusal(error))
          return
        }
        const askedMs = error instanceof ApiFailure ? error.retryAfterMs : 0
        await delay(Math.min(Math.max(askedMs, sendRetryMs), rateLimitWaitMaxMs))
      }
    }
  }

  const announceTyping = (isTyping: boolean): void => {
    clearTimeout(typingIdleTimer)
    if (!isReady || token === null) return
    const now = Date.now()
    if (isTyping) {
      typingIdleTimer = setTimeout(() => announceTyping(false), typingIdleMs)
      if (now - typingSentAt < typingThrottleMs) return
      typingSentAt = now
    } else {
      if (typingSentAt === 0) return
      typingSentAt = 0
    }
    // Typing is only a hint; losing it does no harm.
    api.setTyping(token, isTyping).catch(() => {})
  }

  const markSeen = (messageId: string): void => {
    if (thread.isBehind(messageId, stored.readSeenId())) {
      stored.writeSeenId(messageId)
      render()
    }
    clearTimeout(reportTimer)
    if (thread.isRead(messageId)) return
    reportTimer = setTimeout(() => reportRead(messageId), readDelayMs)
  }

  const reportRead = (messageId: string): void => {
    if (token === null || !thread.isBehind(messageId, readId)) return
    const previousId = readId
    readId = messageId
    api.markRead(token, messageId).catch(() => {
      if (readId === messageId) readId = previousId
    })
  }

  const start = (): void => {
    if (hasStarted) return
    hasStarted = true
    connection.start()
  }

  const open = (takesFocus: boolean): void => {
    if (isOpen) return
    isOpen = true
    stored.writeOpen(true)
    shell.setOpen(true)
    start()
    render()
    panel.open(takesFocus)
  }

  const close = (): void => {
    if (!isOpen) return
    isOpen = false
    stored.writeOpen(false)
    shell.setOpen(false)
    panel.close()
    announceTyping(false)
    shell.launcher.focus()
  }

  stored.onForeignChange((name) => {
    if (name === 'token') {
      const foreign = stored.readToken()
      if (foreign !== null && foreign !== token) {
        token = foreign
        if (hasStarted) connection.restart()
        else start()
      }
    } else if (name === 'outbox') {
      const unsent = new Set(stored.readOutbox().map((item) => item.clientId))
      thread.keepOnlyUnsent((clientId) => unsent.has(clientId))
    }
    render()
  })
  // In a page left open overnight, "Today" has become "Yesterday".
  document.addEventListener('visibilitychange', render)

  if (token !== null) start()
  render()
  return { open, close }
}

const parseData = (data: string): unknown => {
  try {
    return JSON.parse(data)
  } catch {
    return {}
  }
}

/** The server understood the message and rejected it; retrying automatically would not help. */
const isRefusal = (error: unknown): boolean =>
  isFinal(error) ||
  (error instanceof ApiFailure &&
    error.status >= 400 &&
    error.status < 500 &&
    error.status !== 408 &&
    error.status !== 429)

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** crypto.randomUUID only exists on secure pages, and some shops still embed the widget over plain http. */
const createClientId = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

window.foyerStartChat = startChat
