// Every word that a visitor can read. The launcher has its own object, so that the loader does not carry
// the panel's words.

export const launcherWords = {
  open: 'Open chat',
  close: 'Close chat',
  unread: (count: number) => (count === 1 ? '1 unread message' : `${count} unread messages`),
  loadFailed: 'The chat could not be loaded. Try again.',
}

export const words = {
  locale: 'en',
  title: 'Chat with us',
  close: 'Close chat',
  online: 'We are here now',
  offline: 'We answer as soon as we are back',
  presenceUnknown: 'Ask us anything',
  greeting: (name: string) => (name ? `Hello ${name}` : 'Hello'),
  greetingText: 'Write to us below. The answer arrives right here, also when you come back later.',
  thread: 'Messages',
  composer: 'Your message',
  placeholder: 'Write a message',
  send: 'Send',
  left: (count: number) => (count === 1 ? '1 character left' : `${count} characters left`),
  over: (count: number) => (count === 1 ? '1 character too many' : `${count} characters too many`),
  you: 'You',
  agent: 'Support',
  automation: 'Assistant',
  sending: 'Sending…',
  sent: 'Sent',
  seen: 'Seen',
  notSent: 'Not sent.',
  tryAgain: 'Try again',
  outboxFull: 'Several messages are still waiting to be sent. Please wait until they are through.',
  typing: (nickname: string) => `${nickname} is writing…`,
  closed: 'This conversation is closed. Write again to reopen it.',
  newMessages: 'New messages',
  today: 'Today',
  yesterday: 'Yesterday',
  connectionLost: 'Connection lost. Trying again…',
  unavailable: 'The chat is not available here at the moment.',
  attachment: (name: string, size: string) => `${name}, ${size}`,
  unnamedFile: 'File',
}
