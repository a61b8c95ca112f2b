// The list of people: who they are, and what came last in any of their apps.
import { APPS } from './apps.ts'
import { previewOf } from './bubbles.ts'
import type { App, Entry, Mail, Person } from './control-client.ts'
import { element, icon } from './element.ts'
import { lastOf, people, shortTimeOf, store, unreadOf } from './store.ts'

const COLOURS = 8

const avatar = ({ id, name }: Person): HTMLElement => {
  const letters = name
    .replace(/^[@+]/, '')
    .split(/\s+/)
    .map((word) => [...word][0] ?? '')
    .slice(0, 2)
    .join('')
    .toUpperCase()
  const colour = [...`${id}${name}`].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % COLOURS
  return element('span', { class: `avatar colour-${colour}`, 'aria-hidden': true }, letters)
}

const addressOf = ({ phone, email, username }: Person): string =>
  phone ?? email ?? (username ? `@${username}` : '')

const lineOf = (app: App, last: Entry | Mail): string => {
  if (app === 'mail') {
    const mail = last as Mail
    return `${mail.direction === 'written' ? 'You: ' : ''}${mail.subject || mail.text.slice(0, 80)}`
  }
  const entry = last as Entry
  const prefix = entry.from === 'customer' ? 'You: ' : entry.status === 'failed' ? 'Never arrived: ' : ''
  return `${prefix}${previewOf(entry)}`
}

export const makePeopleList = (choose: (personId: string) => void, openNew: () => void) => {
  const list = element('ul', { class: 'chats' })
  const panel = element(
    'nav',
    { class: 'people', 'aria-label': 'Customers' },
    element(
      'header',
      {},
      element(
        'div',
        {},
        element('h1', {}, 'Sandbox'),
        element('p', {}, 'You are the customer. Pick a phone.'),
      ),
      element(
        'button',
        {
          type: 'button',
          class: 'plain',
          'aria-label': 'New customer',
          title: 'New customer',
          on: { click: openNew },
        },
        icon('plus'),
      ),
    ),
    list,
  )

  const row = (person: Person): HTMLElement => {
    const latest = lastOf(person)
    const unread = unreadOf(person)
    return element(
      'li',
      {},
      element(
        'button',
        {
          type: 'button',
          class: 'chat',
          'aria-current': person.id === store.personId,
          'data-person': person.id,
          on: { click: () => choose(person.id) },
        },
        avatar(person),
        element(
          'span',
          { class: 'lines' },
          element('b', { dir: 'auto' }, person.name),
          element(
            'span',
            { class: 'preview', dir: 'auto' },
            latest ? lineOf(latest.app, latest.last) : addressOf(person),
          ),
        ),
        element(
          'span',
          { class: 'aside' },
          latest && element('time', {}, shortTimeOf(latest.last.atMs)),
          unread > 0
            ? element('span', { class: 'badge', 'aria-label': `${unread} unread` }, String(unread))
            : latest &&
                element(
                  'span',
                  { class: `glyph app-${latest.app}`, title: APPS[latest.app].name },
                  icon(APPS[latest.app].icon, APPS[latest.app].name),
                ),
        ),
      ),
    )
  }

  return {
    panel,
    show: (): void => {
      const byLatest = [...people()].sort((a, b) => (lastOf(b)?.last.atMs ?? 0) - (lastOf(a)?.last.atMs ?? 0))
      list.replaceChildren(...byLatest.map(row))
    },
  }
}
