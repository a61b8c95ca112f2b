// A thread of messages, in whichever app it is.
import { type Actions, bubble } from './bubbles.ts'
import type { Entry } from './control-client.ts'
import { element } from './element.ts'
import { dayOf } from './store.ts'

const TYPING_SHOWN_MS = 8000

export const makeThread = (actions: Actions, appName: () => string) => {
  let entries: Entry[] = []
  let typingTimer: number | undefined

  const messages = element('div', {
    class: 'messages',
    role: 'log',
    'aria-label': 'Messages',
    tabindex: 0,
  })
  const typing = element(
    'div',
    { class: 'typing', hidden: true, 'aria-label': 'The business is typing', role: 'status' },
    element('i'),
    element('i'),
    element('i'),
  )
  const nothing = (): HTMLElement =>
    element(
      'div',
      { class: 'nothing' },
      element('p', {}, 'Nothing yet.'),
      element('p', {}, `Write something: the business gets it as it would from ${appName()}.`),
    )

  const draw = (): void => {
    const nodes: Node[] = []
    let day = ''
    let before: Entry | undefined
    for (const entry of entries) {
      if (dayOf(entry.atMs) !== day) {
        day = dayOf(entry.atMs)
        nodes.push(element('div', { class: 'day' }, element('span', {}, day)))
        before = undefined
      }
      const row = bubble(entry, actions)
      if (before?.from === entry.from) row.classList.add('following')
      nodes.push(row)
      before = entry
    }
    messages.replaceChildren(...(nodes.length > 0 ? nodes : [nothing()]))
    messages.scrollTop = messages.scrollHeight
  }

  const find = (id: string): Entry | undefined => entries.find((entry) => entry.id === id)

  return {
    messages,
    typing,
    find,
    entries: (): Entry[] => entries,
    show: (shown: Entry[]): void => {
      entries = shown
      typing.hidden = true
      draw()
    },
    add: (entry: Entry): void => {
      entries.push(entry)
      typing.hidden = true
      draw()
    },
    /** Shows one message anew, where it stands. */
    refresh: (entry: Entry): void => {
      const at = entries.findIndex(({ id }) => id === entry.id)
      if (at >= 0) entries[at] = entry
      const row = [...messages.children].find(
        (child) => child instanceof HTMLElement && child.dataset.id === entry.id,
      )
      if (!row) return
      const anew = bubble(entry, actions)
      if (row.classList.contains('following')) anew.classList.add('following')
      row.replaceWith(anew)
    },
    showTyping: (): void => {
      typing.hidden = false
      messages.scrollTop = messages.scrollHeight
      clearTimeout(typingTimer)
      typingTimer = window.setTimeout(() => {
        typing.hidden = true
      }, TYPING_SHOWN_MS)
    },
  }
}
