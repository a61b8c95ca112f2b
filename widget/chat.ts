// The panel's entry point: connects the session and the view. Loaded by the loader.
import { createPanel } from './panel.ts'
import { createSession } from './session.ts'
import { openStoredSession } from './stored-session.ts'
import { createTeaser } from './teaser.ts'
import type { Chat, StartChat } from './types.ts'
import { useWords } from './words.ts'

const startChat: StartChat = (shell, words): Chat => {
  useWords(words, shell.language)
  const stored = openStoredSession(shell.channelId)
  let isOpen = false

  const render = (): void => {
    panel.render(session.bubbles(), session.visitor)
    const unread = session.unread()
    shell.setUnread(unread.length)
    teaser.render(isOpen ? undefined : unread[unread.length - 1])
  }
  const open = (takesFocus: boolean): void => {
    if (isOpen) return
    setOpen(true)
    session.start()
    render()
    panel.open(takesFocus)
  }
  const close = (): void => {
    if (!isOpen) return
    setOpen(false)
    panel.close()
    session.announceTyping(false)
    shell.launcher.focus()
  }
  const setOpen = (open: boolean): void => {
    isOpen = open
    stored.writeOpen(open)
    shell.setOpen(open)
  }

  const session = createSession(shell, stored, render, () => panel)
  const panel = createPanel(shell, session, close)
  const teaser = createTeaser(shell, () => open(true))

  // In a page left open overnight, "Today" has become "Yesterday".
  document.addEventListener('visibilitychange', render)

  if (stored.readToken() !== null) session.start()
  render()
  return { open, close }
}

window.foyerStartChat = startChat
