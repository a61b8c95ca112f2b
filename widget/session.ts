// The visitor's side of the chat without its view: the session, the thread and what is sent and received.
import { type Api, ApiFailure, createApi, isUnauthorized } from './api.ts'
import type { Chatting, View, Visitor } from './chatting.ts'
import { createConnection } from './connection.ts'
import { createOutbox } from './outbox.ts'
import type { ServerEvent } from './parse-events.ts'
import { outboxMax, type StoredSession } from './stored-session.ts'
import { createThread } from './thread.ts'
import type { Attachment, Choice, Conversation, Message, Session, Shell } from './types.ts'
import { sendFile } from './uploads.ts'

const typingThrottleMs = 3_000
const typingIdleMs = 5_000
const readDelayMs = 300

type Surroundings = {
  render: () => void
  view: () => View
  /** Another tab has forgotten the visitor. */
  onForgotten: () => void
  /** The signed identity is not valid. */
  onRefused: () => void
}

export const createSession = (
  { base, channelId, name, email, identity, emit, isPreview, language }: Shell,
  stored: StoredSession,
  { render, view, onForgotten, onRefused }: Surroundings,
) => {
  const api = createApi(base, channelId)
  const thread = createThread(stored.readOutbox())
  const visitor: Visitor = {
    token: stored.readToken(),
    ...{ id: null, name, profile: { name, email } },
    ...{ isReady: isPreview, identity, isIdentified: false, conversation: null, email: null },
  }
  let hasStarted = false
  let isOver = false
  const chatting: Chatting = { api, thread, stored, visitor, view, render, emit, isOver: () => isOver }

  const connection = createConnection({
    api,
    getToken: () => visitor.token,
    renewSession: async (mode) => {
      const { isOther, isReplaced, lastEventId } = await renewSession(chatting, name, mode)
      if (isOther) reads.reset()
      void outbox.flush()
      emailing.followLink()
      // The stream would go on as whoever had the former token.
      if (isReplaced) connection.restart()
      return lastEventId
    },
    onEvent: (event) => {
      if (!isOver) receive(chatting, event)
    },
    onState: (state, error) => {
      if (isOver) return
      if (isIdentityRefused(error)) return onRefused()
      view().setConnection(state)
      if (state === 'unavailable') warnOf(error, channelId)
      if (state === 'connected') {
        thread.retryUnrefused()
        render()
        void outbox.flush()
      }
    },
  })
  const outbox = createOutbox(chatting, connection.restart)
  const reads = createReadReports(chatting)
  const emailing = createEmailActions(chatting, language, () => connection.restart())
  const announceTyping = createTypingReports(chatting)
  const start = (): void => {
    if (!hasStarted && !isPreview) connection.start()
    hasStarted = true
  }
  const send = (body: string, choice?: Choice, files?: Attachment[]): boolean => {
    if (thread.isFull(outboxMax)) return false
    outbox.add(body, choice, files)
    render()
    void outbox.flush()
    return true
  }
  followOtherTabs(chatting, () => (hasStarted ? connection.restart() : start()), onForgotten)

  return {
    start,
    comeFromEmail: emailing.comeFrom,
    leaveEmail: emailing.leave,
    /** Nothing is sent, received or stored any more. */
    end: (): void => {
      announceTyping(false)
      isOver = true
      connection.stop()
    },
    /** The same person, with a newer token. */
    identify: (newer: string): void => {
      visitor.identity = newer
      visitor.isIdentified = false
      if (hasStarted) connection.restart()
    },
    ...{ visitor, bubbles: thread.bubbles },
    unread: (): Message[] => thread.unread(stored.readSeenId()),
    announceTyping,
    draft: stored.readDraft(),
    edit: (text: string): void => {
      stored.writeDraft(text)
      announceTyping(text.trim() !== '')
    },
    /** Returns false, keeping the text in the composer, while too many messages are waiting. */
    send: (body: string, files: Attachment[]): boolean => {
      const isAccepted = send(body, undefined, files)
      if (isAccepted) {
        stored.writeDraft('')
        announceTyping(false)
      }
      return isAccepted
    },
    upload: sendFile(api, () => visitor.token),
    isFull: (): boolean => thread.isFull(outboxMax),
    /** The visitor tapped an option; false as in `send`. */
    choose: (choice: Choice, title: string): boolean => send(title, choice),
    ...createSendActions(chatting, () => {
      connection.wake()
      void outbox.flush()
    }),
    markSeen: (messageId: string): void => {
      if (thread.isBehind(messageId, stored.readSeenId())) {
        stored.writeSeenId(messageId)
        render()
      }
      reads.schedule(messageId)
    },
  }
}

const isIdentityRefused = (error: unknown): boolean =>
  error instanceof ApiFailure && error.code === 'IDENTITY_REFUSED'

/** Starts or resumes the session and shows what it brings. */
const renewSession = async (
  chatting: Chatting,
  name: string,
  mode: 'merge' | 'replace',
): Promise<{ isOther: boolean; isReplaced: boolean; lastEventId: string | null }> => {
  const { api, thread, stored, visitor, isOver } = chatting
  const { token, identity, isIdentified } = visitor
  // Pages stay open longer than an identity is valid; the token goes on by itself.
  const session = await startSession(api, visitor, isIdentified && token !== null ? null : identity)
  if (isOver()) throw new Error('the session is over')
  // A newer identity may have come meanwhile.
  visitor.isIdentified = identity === visitor.identity
  const isOther = visitor.id !== null && session.visitor.id !== visitor.id
  if (isOther) stored.writeSeenId(null)
  if (isOther || mode === 'replace') thread.clear()
  adopt(chatting, session, name)
  const isReplaced = token !== null && token !== session.token
  return { isOther, isReplaced, lastEventId: session.lastEventId ?? null }
}

/** Going on by email: the address that the visitor leaves, and links in emails. */
const createEmailActions = ({ api, visitor, render }: Chatting, language: string, restart: () => void) => {
  let link: string | null = null
  return {
    /** Somebody came from an email, which the session confirms once it has started. */
    comeFrom: (token: string): void => {
      link = token
    },
    /** What was written by email is shown from then on. In another browser the link shows nothing. */
    followLink: (): void => {
      const token = link
      link = null
      if (token !== null) api.followLink(visitor.token ?? '', token).then(restart, () => {})
    },
    leave: async (address: string | null): Promise<void> => {
      await api.leaveEmail(visitor.token ?? '', address, language)
      visitor.email = { address }
      render()
    },
  }
}

/** What can be done about a message that was not sent. */
const createSendActions = ({ thread, stored, render }: Chatting, flush: () => void) => ({
  retry: (clientId: string): void => {
    thread.retry(clientId)
    render()
    flush()
  },
  remove: (clientId: string): void => {
    thread.remove(clientId)
    stored.removeFromOutbox(clientId)
    render()
  },
})

const warnOf = (error: unknown, channelId: string): void =>
  console.warn(
    `Foyer: ${error instanceof ApiFailure ? error.code : ''} for channel ${channelId} on ${location.origin}.`,
  )

/** Each retry drops a field that was refused: at most three calls, then the error is thrown. */
const startSession = async (api: Api, visitor: Visitor, identity: string | null): Promise<Session> => {
  const { token, profile } = visitor
  try {
    return await api.startSession(token, profile, identity)
  } catch (error) {
    if (isUnauthorized(error) && token !== null) visitor.token = null
    else if (error instanceof ApiFailure && error.status === 400 && (profile.name || profile.email)) {
      // The email is the field most likely to be invalid; a name without it is still useful.
      const refused = profile.email ? 'data-email' : 'data-name'
      console.warn(`Foyer: ${refused} was not accepted and is ignored.`)
      visitor.profile = { name: profile.email ? profile.name : '', email: '' }
    } else throw error
    return await startSession(api, visitor, visitor.identity)
  }
}

const adopt = (chatting: Chatting, { token, visitor: known, ...session }: Session, name: string): void => {
  const { stored, visitor, render } = chatting
  for (const message of session.messages) accept(chatting, message)
  visitor.token = token
  visitor.id = known.id
  visitor.name = known.name ?? name
  visitor.conversation = session.conversation
  visitor.email = session.email ?? null
  visitor.isReady = true
  stored.writeToken(token)
  render()
}

const accept = ({ thread, stored }: Chatting, message: Message): void => {
  thread.merge(message)
  if (message.clientId) stored.removeFromOutbox(message.clientId)
}

const receive = (chatting: Chatting, { event, data: text }: ServerEvent): void => {
  const { thread, visitor, view, render } = chatting
  const data = parseData(text)
  if (event === 'message') {
    const { message } = data as { message: Message }
    const isKnown = thread.has(message.id)
    accept(chatting, message)
    if (message.senderType !== 'customer') {
      view().setTyping(null)
      if (!isKnown) announceMessage(chatting, message)
    }
  } else if (event === 'status') {
    const { messageId, status } = data as { messageId: string; status: string }
    thread.setStatus(messageId, status)
  } else if (event === 'reaction') {
    const { messageId, emoji } = data as { messageId: string; emoji: string | null }
    thread.setReaction(messageId, emoji)
  } else if (event === 'conversation') {
    visitor.conversation = data as Conversation
  } else if (event === 'typing') {
    const { nickname, isTyping } = data as { nickname: string; isTyping: boolean }
    view().setTyping(isTyping ? nickname : null)
    return
  } else if (event === 'presence') {
    view().setPresence((data as { isOnline: boolean }).isOnline)
    return
  } else return
  render()
}

const announceMessage = ({ emit }: Chatting, { id, body, senderType, sender, createdAt }: Message): void => {
  if (senderType !== 'customer')
    emit('message', { id, body, senderType, nickname: sender?.nickname ?? '', createdAt })
}

/** Takes over what other tabs did: a new token, messages that they sent or discarded. */
const followOtherTabs = (
  { thread, stored, visitor, render, isOver }: Chatting,
  onToken: () => void,
  onForgotten: () => void,
): void =>
  stored.onForeignChange((name) => {
    if (isOver()) return
    const token = stored.readToken()
    if (name === 'token' && token === null) {
      onForgotten()
      return
    }
    if (name === 'token' && token !== null && token !== visitor.token) {
      visitor.token = token
      onToken()
    }
    if (name === 'outbox') thread.keepOnlyUnsent(stored.readOutbox().map(({ clientId }) => clientId))
    render()
  })

/** Reports what the visitor has read, shortly after it is on screen. */
const createReadReports = ({ api, thread, visitor }: Chatting) => {
  let readId: string | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  const report = (messageId: string): void => {
    if (visitor.token === null || !thread.isBehind(messageId, readId)) return
    const previousId = readId
    readId = messageId
    api.markRead(visitor.token, messageId).catch(() => {
      if (readId === messageId) readId = previousId
    })
  }
  return {
    schedule: (messageId: string): void => {
      clearTimeout(timer)
      if (!thread.isRead(messageId)) timer = setTimeout(report, readDelayMs, messageId)
    },
    reset: (): void => {
      readId = null
    },
  }
}

/** Reports that the visitor is typing, at most every few seconds, and when they stop. */
const createTypingReports = ({ api, visitor }: Chatting) => {
  let sentAt = 0
  let idleTimer: ReturnType<typeof setTimeout> | undefined
  const announce = (isTyping: boolean): void => {
    clearTimeout(idleTimer)
    if (!visitor.isReady || visitor.token === null) return
    const now = Date.now()
    if (isTyping) idleTimer = setTimeout(announce, typingIdleMs, false)
    if (isTyping ? now - sentAt < typingThrottleMs : sentAt === 0) return
    sentAt = isTyping ? now : 0
    // Typing is only a hint; losing it does no harm.
    api.setTyping(visitor.token, isTyping).catch(() => {})
  }
  return announce
}

const parseData = (data: string): unknown => {
  try {
    return JSON.parse(data)
  } catch {
    return {}
  }
}
