// The panel's entry point: connects the session and the view. Loaded by the loader.
import { createPanel } from './panel.ts'
import { createSession } from './session.ts'
import { forgetStored, openStoredSession } from './stored-session.ts'
import { createTeaser } from './teaser.ts'
import type { Chat, StartChat } from './types.ts'
import { useWords } from './words.ts'

const startChat: StartChat = (shell, words): Chat => {
  useWords(words, shell.language)
  let isOpen = false
  let unreadCount = -1

  const render = (): void => {
    panel.render(session.bubbles(), session.visitor)
    const unread = session.unread()
    shell.setUnread(unread.length)
    teaser.render(isOpen ? undefined : unread[unread.length - 1])
    if (unread.length === unreadCount) return
    unreadCount = unread.length
    shell.emit('unread', { count: unreadCount })
  }
  const open = (takesFocus: boolean): void => {
    if (isOpen) return
    setOpen(true)
    session.start()
    render()
    panel.open(takesFocus)
    shell.emit('open', undefined)
  }
  const close = (): void => {
    if (!isOpen) return
    // A page that closes the chat keeps the focus where it has it.
    const hadFocus = shell.root.activeElement !== null
    setOpen(false)
    panel.close()
    session.announceTyping(false)
    if (hadFocus) shell.launcher.focus()
    shell.emit('close', undefined)
  }
  const setOpen = (open: boolean): void => {
    isOpen = open
    stored.writeOpen(open)
    shell.setOpen(open)
  }
  const begin = () => createSession(shell, stored, { render, view: () => panel, onForgotten: startOver })
  const startOver = (): void => {
    session.end()
    stored = openStoredSession(shell.channelId)
    session = begin()
    panel.startOver(session.draft)
    render()
    if (isOpen) session.start()
  }

  let stored = openStoredSession(shell.channelId)
  let session = begin()
  const panel = createPanel(
    shell,
    {
      draft: session.draft,
      send: (body) => session.send(body),
      edit: (text) => session.edit(text),
      choose: (choice, title) => session.choose(choice, title),
      retry: (clientId) => session.retry(clientId),
      remove: (clientId) => session.remove(clientId),
      markSeen: (messageId) => session.markSeen(messageId),
    },
    close,
  )
  const teaser = createTeaser(shell, () => open(true))

  // In a page left open overnight, "Today" has become "Yesterday".
  document.addEventListener('visibilitychange', render)

  if (stored.readToken() !== null) session.start()
  render()
  return {
    open,
    close,
    prefill: (text) => panel.prefill(text),
    reset: () => {
      close()
      forgetStored(shell.channelId)
      startOver()
    },
  }
}

window.foyerStartChat = startChat
