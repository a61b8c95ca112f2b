// What the parts of a session share.
import type { Api } from './api.ts'
import type { ConnectionState } from './connection.ts'
import type { Emit } from './host-api.ts'
import type { StoredSession } from './stored-session.ts'
import type { Thread } from './thread.ts'
import type { Conversation } from './types.ts'

/** Who is chatting; not ready until a session has started and while it is being renewed. */
export type Visitor = {
  token: string | null
  id: string | null
  name: string
  isReady: boolean
  profile: { name: string; email: string }
  /** Sent with the next session, and again if its token is not known any more. */
  identity: string | null
  isIdentified: boolean
  conversation: Conversation | null
  /** Where replies go once they have left; null: they were not asked. */
  email: { address: string | null } | null
}

/** What the session changes on screen besides the thread. */
export type View = {
  setConnection: (state: ConnectionState) => void
  setTyping: (nickname: string | null) => void
  setPresence: (isOnline: boolean) => void
}

export type Chatting = {
  api: Api
  thread: Thread
  stored: StoredSession
  visitor: Visitor
  view: () => View
  /** Shows the thread as it is now. */
  render: () => void
  /** Tells the host page. */
  emit: Emit
  /** Someone else may be using the chat by now; what arrives late is dropped. */
  isOver: () => boolean
}
