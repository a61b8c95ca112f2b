// The panel's entry point: connects the session and the view. Loaded by the loader.

import type { Emit } from './host-api.ts'
import { createPanel } from './panel.ts'
import { playSound } from './sound.ts'
import { createTeaser } from './teaser.ts'
import type { Chat, StartChat } from './types.ts'
import { createVisit } from './visit.ts'
import { useWords } from './words.ts'

const startChat: StartChat = (shell, words): Chat => {
  useWords(words, shell.language)
  let isOpen = false
  let unreadCount = -1

  const render = (): void => {
    const session = visit.session()
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
    visit.session().start()
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
    visit.session().announceTyping(false)
    if (hadFocus) shell.launcher.focus()
    shell.emit('close', undefined)
  }
  const setOpen = (open: boolean): void => {
    isOpen = open
    visit.stored().writeOpen(open)
    shell.setOpen(open)
  }

  const listen: Emit = (name, data) => {
    emit(name, data)
    const isSeen = isOpen && document.visibilityState === 'visible'
    if (name === 'message' && !isSeen && shell.settings.hasSound && visit.stored().readSound()) playSound()
  }
  const { emit } = shell
  shell.emit = listen

  const visit = createVisit(shell, { panel: () => panel, render, isOpen: () => isOpen })
  const panel = createPanel(
    shell,
    {
      draft: visit.session().draft,
      send: (body, files) => visit.session().send(body, files),
      isFull: () => visit.session().isFull(),
      upload: (...given) => visit.session().upload(...given),
      edit: (text) => visit.session().edit(text),
      choose: (choice, title) => visit.session().choose(choice, title),
      retry: (clientId) => visit.session().retry(clientId),
      remove: (clientId) => visit.session().remove(clientId),
      markSeen: (messageId) => visit.session().markSeen(messageId),
      leaveEmail: (address) => visit.session().leaveEmail(address),
      sound: {
        isOn: () => visit.stored().readSound(),
        set: (isOn) => {
          visit.stored().writeSound(isOn)
          // The visitor's click is what browsers need to allow it.
          if (isOn) playSound()
        },
      },
    },
    close,
  )
  const teaser = createTeaser(shell, () => open(true))

  // In a page left open overnight, "Today" has become "Yesterday".
  document.addEventListener('visibilitychange', render)

  const link = takeEmailLink()
  if (link !== null && visit.stored().readToken() !== null) {
    visit.session().comeFromEmail(link)
    open(true)
  }
  if (visit.stored().readToken() !== null) visit.session().start()
  render()
  return {
    open,
    close,
    prefill: (text) => panel.prefill(text),
    identify: visit.identify,
    reset: () => {
      close()
      visit.reset()
    },
  }
}

/** What an email's link has behind the page's address; it is taken away there. */
const takeEmailLink = (): string | null => {
  const { hash, pathname, search } = location
  const token = /^#foyer-email=([\w.-]{1,200})$/.exec(hash)?.[1] ?? null
  if (token !== null) history.replaceState(history.state, '', pathname + search)
  return token
}

window.foyerStartChat = startChat
