// The phone of the person who is chosen: its head, the app that is open, and the dock with the others.
import { APP_ORDER, APPS } from './apps.ts'
import type { Actions } from './bubbles.ts'
import { makeComposer } from './composer.ts'
import {
  type App,
  type Entry,
  edit,
  getThread,
  type Json,
  type Person,
  read,
  write,
} from './control-client.ts'
import { element, icon } from './element.ts'
import { makeMailbox } from './mailbox.ts'
import { chosen, customerOf, store } from './store.ts'
import { makeThread } from './thread.ts'
import type { Ask } from './tools.ts'

/** A busy thread is shown after so many readings even so. */
const READINGS_MAX = 5

type Deps = {
  ask: Ask
  openTools: () => void
  goBack: () => void
  chooseApp: (app: App) => void
  onRead: () => void
}

export const makePhone = ({ ask, openTools, goBack, chooseApp, onRead }: Deps) => {
  const title = element('div', { class: 'title-lines' })
  const numbers = element('select', { class: 'numbers', 'aria-label': 'Business number' })
  const dock = element('nav', { class: 'dock', 'aria-label': 'Apps' })

  /** Writes as the person who is chosen, in the app that is open. */
  const say = (message: Json): void => {
    const person = chosen()
    if (!person) return
    const { app, numberId } = store
    ask(() => write(person, app, { ...(app === 'whatsapp' && { phoneNumberId: numberId }), ...message }))
  }
  const composer = makeComposer({
    ask,
    send: say,
    change: (entry, text) => {
      const person = chosen()
      if (person) ask(() => edit(person, entry.id, text))
    },
  })
  const actions: Actions = {
    can: () => APPS[store.app],
    tap: (entry, choice) => say({ type: 'tap', messageId: entry.id, choice }),
    react: (entry, emoji) => say({ type: 'reaction', messageId: entry.id, emoji }),
    quote: composer.quote,
    edit: composer.edit,
    find: (id) => thread.find(id),
  }
  const thread = makeThread(actions, () => APPS[store.app].name)
  const mailbox = makeMailbox(ask, onRead)

  numbers.addEventListener('change', () => {
    store.numberId = numbers.value
    ask(show)
  })

  const panel = element(
    'main',
    { class: 'phone' },
    element(
      'header',
      {},
      element(
        'button',
        { type: 'button', class: 'plain back', 'aria-label': 'All customers', on: { click: goBack } },
        icon('back'),
      ),
      title,
      numbers,
      element(
        'button',
        { type: 'button', class: 'plain open-tools', 'aria-label': 'Tools', on: { click: openTools } },
        icon('tools'),
      ),
    ),
    thread.messages,
    thread.typing,
    mailbox.view,
    composer.form,
    dock,
  )

  const showHead = (person: Person | undefined): void => {
    const { app, state, numberId } = store
    const list = state?.numbers ?? []
    const number = list.find(({ id }) => id === numberId) ?? list[0]
    title.replaceChildren(
      // Alone on a narrow screen, where the list and its heading are away.
      element('h1', { class: 'hidden' }, person ? `${person.name}’s phone` : 'A customer’s phone'),
      element(
        'b',
        {},
        app === 'mail' ? 'Mail' : (number?.verifiedName ?? 'Business'),
        app === 'whatsapp' && icon('verified'),
      ),
      element(
        'small',
        { dir: 'auto' },
        !person
          ? 'Nobody’s phone yet'
          : app === 'mail'
            ? (person.email ?? '')
            : `${APPS[app].name} on ${person.name}’s phone`,
      ),
    )
    numbers.hidden = app !== 'whatsapp' || list.length < 2
    numbers.replaceChildren(
      ...list.map(({ id, displayPhoneNumber }) =>
        element('option', { value: id, selected: id === numberId }, displayPhoneNumber),
      ),
    )
  }

  const showDock = (person: Person | undefined): void => {
    dock.replaceChildren(
      ...APP_ORDER.flatMap((app) => {
        const there = person?.apps[app]
        if (!there) return []
        const { name, icon: glyph } = APPS[app]
        return element(
          'button',
          {
            type: 'button',
            class: `app-${app}`,
            'aria-current': app === store.app,
            'data-app': app,
            on: { click: () => chooseApp(app) },
          },
          element('span', { class: 'glyph' }, icon(glyph)),
          name,
          there.unread > 0 &&
            element(
              'span',
              { class: 'badge' },
              String(there.unread),
              element('span', { class: 'hidden' }, ' unread'),
            ),
        )
      }),
    )
  }

  /** What arrived counts as read while somebody looks at it. */
  const readNow = (): void => {
    const person = chosen()
    const { app } = store
    if (!person || app === 'mail' || document.visibilityState !== 'visible') return
    const there = person.apps[app]
    if (there) there.unread = 0
    if (app !== 'whatsapp' || customerOf(person)?.receipts !== 'off')
      ask(() => read(person, app, store.numberId))
  }

  /** Read again when something happened meanwhile, which the answer may not hold. */
  const readThread = async (person: Person, app: App): Promise<Entry[]> => {
    for (let reading = 1; ; reading++) {
      const { toldCount } = store
      const entries = await getThread(person, app)
      if (toldCount === store.toldCount || reading === READINGS_MAX) return entries
    }
  }

  const show = async (): Promise<void> => {
    const person = chosen()
    const { app } = store
    const isMail = app === 'mail' && person !== undefined
    panel.dataset.app = app
    thread.messages.hidden = isMail
    mailbox.view.hidden = !isMail
    composer.form.hidden = isMail
    document.body.classList.toggle('nobody', !person)
    composer.reset()
    composer.showFor(app)
    if (isMail) await mailbox.show(person)
    else {
      const entries = person ? await readThread(person, app) : []
      thread.show(
        app === 'whatsapp'
          ? entries.filter(({ phoneNumberId }) => phoneNumberId === store.numberId)
          : entries,
      )
    }
    readNow()
    showHead(person)
    showDock(person)
  }

  return {
    panel,
    thread,
    mailbox,
    show,
    showDock: (): void => showDock(chosen()),
    readNow,
    focus: composer.focus,
  }
}
