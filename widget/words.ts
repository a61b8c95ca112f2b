// All text that visitors can read. The launcher's is a separate object, so the loader doesn't include the
// panel's.

export const launcherWords = {
  open: 'Open chat',
  close: 'Close chat',
  unread: (count: number) => (count === 1 ? '1 unread message' : `${count} unread messages`),
  loadFailed: 'Couldn’t load the chat. Try again.',
}

export const words = {
  locale: 'en',
  title: 'Chat with us',
  close: 'Close chat',
  online: 'We’re online',
  offline: 'We’ll reply as soon as we’re back',
  presenceUnknown: 'Ask us anything',
  greeting: (name: string) => (name ? `Hello ${name}` : 'Hello'),
  greetingText: 'Write to us below. We’ll reply here, and you can come back later to read it.',
  conversation: 'Conversation',
  thread: 'Messages',
  composer: 'Your message',
  placeholder: 'Write a message',
  send: 'Send',
  left: (count: number) => (count === 1 ? '1 character left' : `${count} characters left`),
  over: (count: number) =>
    count === 1 ? '1 character over the limit' : `${count} characters over the limit`,
  you: 'You',
  agent: 'Support',
  automation: 'Assistant',
  sending: 'Sending…',
  sent: 'Sent',
  seen: 'Seen',
  notSent: 'Not sent.',
  tryAgain: 'Try again',
  remove: 'Remove',
  outboxFull: 'Some messages are still being sent. Please wait a moment.',
  typing: (nickname: string) => `${nickname} is typing…`,
  closed: 'This conversation is closed. Write again to reopen it.',
  newMessages: 'New messages',
  today: 'Today',
  yesterday: 'Yesterday',
  connectionLost: 'Connection lost. Trying again…',
  unavailable: 'Chat isn’t available right now.',
  attachment: 'Sent you a file',
  dismiss: 'Dismiss',
  unnamedFile: 'File',
}
