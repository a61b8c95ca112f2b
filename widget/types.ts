// The shapes of the widget's API as the server sends them, and what the loader passes to the panel.
import type { Emit } from './host-api.ts'
import type { Settings } from './settings.ts'
import type { Words } from './words.ts'

export type Attachment = {
  id: string
  type: string
  name: string | null
  mimeType: string | null
  size: number | null
  url: string | null
}

/** The options below a message of ours; `text` is the message without them. */
export type Choices = {
  text: string
  options: { number: number; title: string; description?: string | null }[]
}

/** Which option of which message a visitor tapped. */
export type Choice = { messageId: string; number: number }

export type Message = {
  id: string
  conversationId: string
  body: string
  senderType: 'customer' | 'agent' | 'automation'
  sender: { nickname: string | null } | null
  status: string
  createdAt: string
  attachments?: Attachment[]
  choices?: Choices | null
  choice?: Choice | null
  /** The team's, to what the visitor wrote. */
  reaction?: string | null
  /** They wrote it by email; hidden until this browser has shown that the address is theirs. */
  byEmail?: 'shown' | 'hidden' | null
  /** Present if the server echoes it; the thread works without. */
  clientId?: string | null
}

export type Conversation = { id: string; status: string }

export type Session = {
  token: string
  visitor: { id: string; name: string | null; email: string | null }
  conversation: Conversation | null
  /** Where replies go once they have left; null: they were not asked. */
  email?: { address: string | null } | null
  messages: Message[]
  /** If given, the event stream starts right after this response and nothing has to be loaded twice. */
  lastEventId?: string | null
}

export type Shell = {
  base: string
  language: string
  channelId: string
  settings: Settings
  /** Shows how it looks, and does nothing. */
  isPreview: boolean
  name: string
  email: string
  /** A signed token that says who the visitor is. */
  identity: string | null
  root: ShadowRoot
  launcher: HTMLButtonElement
  addStyle: (css: string) => void
  setUnread: (count: number) => void
  setOpen: (isOpen: boolean) => void
  /** Tells the host page. */
  emit: Emit
}

/** Without words, the chat is in English. */
export type StartChat = (shell: Shell, words: Words | undefined) => Chat

export type Chat = {
  open: (takesFocus: boolean) => void
  close: () => void
  prefill: (text: string) => void
  /** Null: whoever was signed in isn't any more. */
  identify: (identity: string) => void
  /** Forgets the visitor; the next one starts anew. */
  reset: () => void
}

declare global {
  interface Window {
    /** Set by chat.js, called by widget.js. */
    foyerStartChat?: StartChat
  }
}
