// All text that visitors can read. The launcher's is a separate object, so the loader doesn't include the panel's, which
// are single exports, so that only the texts are in the bundle and not their names.

export const launcherWords = {
  open: 'Open chat',
  close: 'Close chat',
  unread: (count: number) => (count === 1 ? '1 unread message' : `${count} unread messages`),
  loadFailed: 'Couldn’t load the chat. Try again.',
}

const characters = (count: number) => (count === 1 ? '1 character' : `${count} characters`)

export const locale = 'en'
export const title = 'Chat with us'
export const close = 'Close chat'
export const online = 'We’re online'
export const offline = 'We’ll reply as soon as we’re back'
export const presenceUnknown = 'Ask us anything'
export const greeting = (name: string) => (name ? `Hello ${name}` : 'Hello')
export const greetingText = 'Write to us below. We’ll reply here, and you can come back later to read it.'
export const conversation = 'Conversation'
export const thread = 'Messages'
export const composer = 'Your message'
export const placeholder = 'Write a message'
export const send = 'Send'
export const left = (count: number) => `${characters(count)} left`
export const over = (count: number) => `${characters(count)} over the limit`
export const you = 'You'
export const agent = 'Support'
export const automation = 'Assistant'
export const sending = 'Sending…'
export const sent = 'Sent'
export const seen = 'Seen'
export const notSent = 'Not sent.'
export const tryAgain = 'Try again'
export const remove = 'Remove'
export const outboxFull = 'Some messages are still being sent. Please wait a moment.'
export const typing = (nickname: string) => `${nickname} is typing…`
export const closed = 'This conversation is closed. Write again to reopen it.'
export const newMessages = 'New messages'
export const today = 'Today'
export const yesterday = 'Yesterday'
export const connectionLost = 'Connection lost. Trying again…'
export const unavailable = 'Chat isn’t available right now.'
export const attachment = 'Sent you a file'
export const dismiss = 'Dismiss'
export const options = 'Options'
export const more = (count: number) => `Show ${count} more`
export const unnamedFile = 'File'
