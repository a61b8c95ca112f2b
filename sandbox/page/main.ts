// The phone page: the customers' phones, one at a time, and the tools beside them.
import { type Actions, bubble, previewOf, timeOf } from './bubbles.ts'
import {
  addCustomer,
  type Customer,
  type Entry,
  type Fault,
  getCustomer,
  getState,
  getThread,
  type Json,
  openFeed,
  read,
  type State,
  write,
} from './control-client.ts'
import { element, type Icon, icon } from './element.ts'
import { makeTools } from './tools.ts'

const TYPING_SHOWN_MS = 8000
const PLACES = [
  { latitude: 52.52191, longitude: 13.413215, name: 'Alexanderplatz', address: '10178 Berlin' },
  { latitude: 48.137154, longitude: 11.576124, name: 'Marienplatz', address: '80331 München' },
  { latitude: -23.561414, longitude: -46.655881, name: 'Avenida Paulista', address: 'São Paulo' },
]
const CARD = [
  {
    name: { formatted_name: 'Tom Alder', first_name: 'Tom', last_name: 'Alder' },
    phones: [{ phone: '+1 650-555-0110', type: 'MOBILE' }],
  },
]

let state: State
/** Between the sandbox's clock and this machine's. */
let aheadMs = 0
let chosenId: string | null = null
let numberId = ''
let thread: Entry[] = []
let quoted: Entry | null = null
let typingTimer: number | undefined

const now = (): number => Date.now() + aheadMs
const chosen = (): Customer | undefined => state.customers.find(({ id }) => id === chosenId)
const nameOf = ({ profileName, username, waId, id }: Customer): string =>
  profileName ?? (username ? `@${username}` : waId ? `+${waId}` : id)
const addressOf = ({ waId, username, userId }: Customer): string =>
  waId ? `+${waId}` : username ? `@${username}` : userId

const toast = element('div', { class: 'toast', role: 'status' })
let toastTimer: number | undefined
const say = (text: string): void => {
  toast.textContent = text
  toast.classList.add('shown')
  clearTimeout(toastTimer)
  toastTimer = window.setTimeout(() => toast.classList.remove('shown'), 5000)
}
const ask = (work: () => Promise<unknown>): void => {
  work().catch((error: unknown) => say(error instanceof Error ? error.message : String(error)))
}

const tools = makeTools(ask, () => document.body.classList.remove('with-tools'))
const openTools = (): void => {
  document.body.classList.add('with-tools')
}

// The list of chats.
const list = element('ul', { class: 'chats' })
const people = element(
  'nav',
  { class: 'people', 'aria-label': 'Customers' },
  element(
    'header',
    {},
    element(
      'div',
      {},
      element('h1', {}, 'WhatsApp sandbox'),
      element('p', {}, 'You are the customer. Pick a phone.'),
    ),
    element(
      'button',
      {
        type: 'button',
        class: 'plain',
        'aria-label': 'New customer',
        title: 'New customer',
        on: { click: () => dialog.showModal() },
      },
      icon('plus'),
    ),
  ),
  list,
)

const COLOURS = 8
const avatar = (customer: Customer): HTMLElement => {
  const name = nameOf(customer)
  const letters = name
    .replace(/^[@+]/, '')
    .split(/\s+/)
    .map((word) => [...word][0] ?? '')
    .slice(0, 2)
    .join('')
    .toUpperCase()
  const colour = [...customer.id].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % COLOURS
  return element('span', { class: `avatar colour-${colour}`, 'aria-hidden': true }, letters)
}

const dayOf = (atMs: number): string => {
  const days = Math.floor((startOfDay(now()) - startOfDay(atMs)) / 86_400_000 + 0.5)
  if (days <= 0) return 'Today'
  if (days === 1) return 'Yesterday'
  return new Date(atMs).toLocaleDateString(undefined, { weekday: 'long', day: 'numeric', month: 'long' })
}
const startOfDay = (atMs: number): number => new Date(atMs).setHours(0, 0, 0, 0)

const prefixOf = ({ from, status }: Entry): string =>
  from === 'customer' ? 'You: ' : status === 'failed' ? 'Never arrived: ' : ''

const showList = (): void => {
  const byLatest = [...state.customers].sort((a, b) => (b.lastEntry?.atMs ?? 0) - (a.lastEntry?.atMs ?? 0))
  list.replaceChildren(
    ...byLatest.map((customer) => {
      const { lastEntry, unread } = customer
      const when =
        lastEntry &&
        (dayOf(lastEntry.atMs) === 'Today' ? timeOf(lastEntry.atMs) : dayOf(lastEntry.atMs).split(',')[0]!)
      return element(
        'li',
        {},
        element(
          'button',
          {
            type: 'button',
            class: 'chat',
            'aria-current': customer.id === chosenId,
            'data-customer': customer.id,
            on: { click: () => ask(() => choose(customer.id)) },
          },
          avatar(customer),
          element(
            'span',
            { class: 'lines' },
            element('b', { dir: 'auto' }, nameOf(customer)),
            element(
              'span',
              { class: 'preview', dir: 'auto' },
              lastEntry ? `${prefixOf(lastEntry)}${previewOf(lastEntry)}` : addressOf(customer),
            ),
          ),
          element(
            'span',
            { class: 'aside' },
            when && element('time', {}, when),
            unread > 0 &&
              element('span', { class: 'badge', 'aria-label': `${unread} unread` }, String(unread)),
          ),
        ),
      )
    }),
  )
}

// The phone.
const title = element('div', { class: 'title-lines' })
const numberChoice = element('select', { class: 'numbers', 'aria-label': 'Business number' })
numberChoice.addEventListener('change', () => {
  numberId = numberChoice.value
  ask(showChosen)
})
const messages = element('div', { class: 'messages', role: 'log', 'aria-label': 'Messages' })
const typing = element(
  'div',
  { class: 'typing', hidden: true, 'aria-label': 'The business is typing' },
  element('i'),
  element('i'),
  element('i'),
)
const quoteBar = element('div', { class: 'quote-bar', hidden: true })
const input = element('textarea', {
  rows: 1,
  placeholder: 'Message',
  'aria-label': 'Message',
  maxlength: 4096,
  dir: 'auto',
  enterkeyhint: 'send',
})
const picker = element('input', { type: 'file', hidden: true, accept: 'image/jpeg,image/png' })
const filePicker = element('input', { type: 'file', hidden: true })

const attach = element('details', { class: 'attach' })
const attachItem = (name: Icon, label: string, work: () => void): HTMLElement =>
  element(
    'button',
    {
      type: 'button',
      on: {
        click: () => {
          attach.open = false
          work()
        },
      },
    },
    icon(name),
    label,
  )
attach.append(
  element('summary', { 'aria-label': 'Attach' }, icon('plus')),
  element(
    'div',
    { class: 'menu' },
    attachItem('picture', 'A picture of yours', () => picker.click()),
    attachItem('picture', 'A sample picture', () => say_({ type: 'image' })),
    attachItem('file', 'Document', () => filePicker.click()),
    attachItem('pin', 'Location', () =>
      say_({ type: 'location', ...PLACES[Math.floor(Math.random() * PLACES.length)] }),
    ),
    attachItem('person', 'Contact card', () => say_({ type: 'contacts', contacts: CARD })),
    attachItem('question', 'A kind WhatsApp hides', () => say_({ type: 'unsupported' })),
  ),
)

/** Writes as the chosen customer. */
const say_ = (message: Json): void => {
  const customer = chosen()
  if (!customer) return
  const replyTo = quoted && message.type !== 'reaction' && message.type !== 'tap' ? quoted.id : undefined
  unquote()
  ask(() => write(customer.id, { phoneNumberId: numberId, ...(replyTo && { replyTo }), ...message }))
}

const sendText = (): void => {
  const text = input.value.trim()
  if (!text) return
  input.value = ''
  grow()
  say_({ type: 'text', text })
}
const grow = (): void => {
  input.style.height = 'auto'
  input.style.height = `${Math.min(140, input.scrollHeight)}px`
}
input.addEventListener('input', grow)
input.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
    event.preventDefault()
    sendText()
  }
  if (event.key === 'Escape') unquote()
})

const base64Of = async (file: File): Promise<string> => {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ''
  for (let at = 0; at < bytes.length; at += 0x8000)
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  return btoa(text)
}
const sendFile = (from: HTMLInputElement, type: string): void => {
  const file = from.files?.[0]
  from.value = ''
  if (!file) return
  ask(async () =>
    say_({
      type,
      data: await base64Of(file),
      mimeType: file.type || 'application/octet-stream',
      fileName: file.name,
    }),
  )
}
picker.addEventListener('change', () => sendFile(picker, 'image'))
filePicker.addEventListener('change', () => sendFile(filePicker, 'document'))

const unquote = (): void => {
  quoted = null
  quoteBar.hidden = true
}
const actions: Actions = {
  tap: (entry, choice) => say_({ type: 'tap', messageId: entry.id, choice }),
  react: (entry, emoji) => say_({ type: 'reaction', messageId: entry.id, emoji }),
  quote: (entry) => {
    quoted = entry
    quoteBar.hidden = false
    quoteBar.replaceChildren(
      element('span', { dir: 'auto' }, previewOf(entry)),
      element(
        'button',
        { type: 'button', class: 'plain', 'aria-label': 'Do not quote', on: { click: unquote } },
        icon('close'),
      ),
    )
    input.focus()
  },
  find: (id) => thread.find((entry) => entry.id === id),
}

const phone = element(
  'main',
  { class: 'phone' },
  element(
    'header',
    {},
    element(
      'button',
      {
        type: 'button',
        class: 'plain back',
        'aria-label': 'All customers',
        on: {
          click: () => {
            chosenId = null
            document.body.classList.remove('in-thread')
            showList()
          },
        },
      },
      icon('back'),
    ),
    title,
    numberChoice,
    element(
      'button',
      { type: 'button', class: 'plain open-tools', 'aria-label': 'Tools', on: { click: openTools } },
      icon('tools'),
    ),
  ),
  messages,
  typing,
  element(
    'form',
    {
      class: 'composer',
      on: {
        submit: (event) => {
          event.preventDefault()
          sendText()
        },
      },
    },
    quoteBar,
    element(
      'div',
      { class: 'line' },
      attach,
      input,
      element('button', { type: 'submit', class: 'send', 'aria-label': 'Send' }, icon('send')),
    ),
    picker,
    filePicker,
  ),
)

const visible = (): Entry[] => thread.filter(({ phoneNumberId }) => phoneNumberId === numberId)

const showThread = (): void => {
  const nodes: Node[] = []
  let day = ''
  let before: Entry | undefined
  for (const entry of visible()) {
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
  if (nodes.length === 0)
    nodes.push(
      element(
        'div',
        { class: 'nothing' },
        element('p', {}, 'Nothing yet.'),
        element('p', {}, 'Write something: the business gets it as it would from WhatsApp.'),
      ),
    )
  messages.replaceChildren(...nodes)
}

const scrollDown = (): void => {
  messages.scrollTop = messages.scrollHeight
}

/** Shows one message anew, where it stands. */
const refresh = (id: string): void => {
  const entry = actions.find(id)
  const row =
    entry && [...messages.children].find((child) => child instanceof HTMLElement && child.dataset.id === id)
  if (!row) return
  const anew = bubble(entry, actions)
  if (row.classList.contains('following')) anew.classList.add('following')
  row.replaceWith(anew)
}

const isLooking = (): boolean => document.visibilityState === 'visible'

const readChosen = (): void => {
  const customer = chosen()
  if (customer && isLooking() && customer.receipts !== 'off') ask(() => read(customer.id, numberId))
  if (customer && isLooking()) customer.unread = 0
}

const showHead = (): void => {
  const customer = chosen()
  const number = state.numbers.find(({ id }) => id === numberId)
  title.replaceChildren(
    element('b', {}, number?.verifiedName ?? 'Business', icon('verified')),
    element('small', { dir: 'auto' }, customer ? `${nameOf(customer)}’s phone` : 'Nobody’s phone yet'),
  )
  numberChoice.hidden = state.numbers.length < 2
  numberChoice.replaceChildren(
    ...state.numbers.map(({ id, displayPhoneNumber }) =>
      element('option', { value: id, selected: id === numberId }, displayPhoneNumber),
    ),
  )
}

const showTime = (): void => {
  const window = chosen()?.windows.find(({ phoneNumberId }) => phoneNumberId === numberId)
  tools.showTime(state, now(), window?.endsAtMs ?? null)
}

const showChosen = async (): Promise<void> => {
  const customer = chosen()
  thread = customer ? await getThread(customer.id) : []
  document.body.classList.toggle('nobody', !customer)
  typing.hidden = true
  unquote()
  readChosen()
  showHead()
  showThread()
  showList()
  tools.showCustomer(customer)
  showTime()
  scrollDown()
}

const choose = async (id: string): Promise<void> => {
  chosenId = id
  document.body.classList.add('in-thread')
  await showChosen()
  if (matchMedia('(min-width: 900px)').matches) input.focus()
}

// A new customer.
const field = (name: string, label: string, hint: string, more: Json = {}): HTMLElement =>
  element(
    'label',
    { class: 'field' },
    element('span', {}, label),
    element('input', { name, 'aria-label': label, autocomplete: 'off', ...more }),
    element('small', {}, hint),
  )
const newCustomer = element(
  'form',
  { method: 'dialog' },
  element('h2', {}, 'New customer'),
  field('profileName', 'Name', 'As in the WhatsApp profile. May be empty.', { maxlength: 60 }),
  field('phone', 'Phone number', 'With country code. Empty for somebody who shows only a username.', {
    inputmode: 'tel',
    placeholder: '+49 151 23456789',
  }),
  field('username', 'Username', 'Optional.', { pattern: '[a-zA-Z0-9._]{3,35}', placeholder: 'lena.draws' }),
  element(
    'div',
    { class: 'pair' },
    element(
      'button',
      { type: 'button', class: 'action quiet', on: { click: () => dialog.close() } },
      'Cancel',
    ),
    element('button', { type: 'submit', class: 'action' }, 'Add'),
  ),
)
const dialog = element('dialog', { 'aria-label': 'New customer' }, newCustomer)
newCustomer.addEventListener('submit', () => {
  const entered = Object.fromEntries(
    [...new FormData(newCustomer)]
      .map(([name, value]) => [name, String(value).trim()])
      .filter(([, value]) => value),
  )
  ask(async () => {
    const customer = await addCustomer({ ...entered, receipts: 'opened' })
    newCustomer.reset()
    await load()
    await choose(customer.id)
  })
})

// What the sandbox tells.
const changedIds = new Set<string>()
let refreshTimer: number | undefined

/** Reads a customer again, soon: a broadcast changes many within a moment. */
const refreshCustomer = (id: string): void => {
  changedIds.add(id)
  if (refreshTimer !== undefined) return
  refreshTimer = window.setTimeout(() => {
    refreshTimer = undefined
    const ids = [...changedIds]
    changedIds.clear()
    ask(() => readAgain(ids))
  }, REFRESH_AFTER_MS)
}
const REFRESH_AFTER_MS = 60
const ONE_BY_ONE_MAX = 5

const readAgain = async (ids: string[]): Promise<void> => {
  if (ids.length > ONE_BY_ONE_MAX) state.customers = (await getState()).customers
  else
    for (const id of ids) {
      const customer = await getCustomer(id)
      const at = state.customers.findIndex((one) => one.id === id)
      if (at < 0) state.customers.push(customer)
      else state.customers[at] = customer
    }
  const customer = chosen()
  if (customer && ids.includes(customer.id)) {
    if (isLooking()) customer.unread = 0
    tools.showCustomer(customer)
    showHead()
    showTime()
  }
  showList()
}

const customerName = (id: string | null): string => {
  const customer = state.customers.find((one) => one.id === id)
  return customer ? nameOf(customer) : 'somebody'
}

const SAYS: Record<string, string> = {
  sent: 'Sent to',
  delivered: 'Delivered to',
  read: 'Read by',
  failed: 'Failed for',
}

type Told = {
  message: { customerId: string; entry: Entry }
  status: {
    customerId: string | null
    messageId: string
    status: NonNullable<Entry['status']>
    error: Entry['error']
  }
  reaction: { customerId: string; messageId: string }
  read: { customerId: string; messageId: string }
  typing: { customerId: string; phoneNumberId: string }
  customer: { customerId: string }
  faults: { faults: Fault[] }
  clock: { nowMs: number }
  refused: { code: number; message: string; details?: string }
  webhook: { http: number | null; attempt: number; changes: number }
}

const HANDLERS: { [K in keyof Told]: (told: Told[K]) => void } = {
  message: ({ customerId, entry }) => {
    const what = entry.type === 'template' ? `the template ${entry.content.name}` : previewOf(entry)
    tools.tell(
      entry.from === 'customer'
        ? `${customerName(customerId)} wrote: ${what}`
        : `The business wrote to ${customerName(customerId)}: ${what}`,
    )
    if (customerId === chosenId && !actions.find(entry.id)) {
      thread.push(entry)
      typing.hidden = true
      showThread()
      scrollDown()
    }
    refreshCustomer(customerId)
  },
  status: ({ customerId, messageId, status, error }) => {
    tools.tell(
      `${SAYS[status] ?? status} ${customerName(customerId)}${error ? `: ${error.title} (${error.code})` : ''}`,
      status === 'failed' ? 'bad' : 'good',
    )
    const entry = actions.find(messageId)
    if (!entry) {
      if (customerId && status !== 'sent') refreshCustomer(customerId)
      return
    }
    entry.status = status
    entry.error = error
    refresh(messageId)
    if (status === 'delivered') readChosen()
    showList()
  },
  reaction: ({ customerId, messageId }) => {
    if (customerId !== chosenId) return
    ask(async () => {
      const anew = (await getThread(customerId)).find(({ id }) => id === messageId)
      const entry = actions.find(messageId)
      if (!anew || !entry) return
      entry.reactions = anew.reactions
      refresh(messageId)
    })
  },
  read: ({ customerId, messageId }) => {
    tools.tell(`The business read what ${customerName(customerId)} wrote`, 'good')
    if (customerId !== chosenId) return
    for (const entry of thread) {
      if (entry.from === 'customer' && !entry.isReadByBusiness) {
        entry.isReadByBusiness = true
        refresh(entry.id)
      }
      if (entry.id === messageId) return
    }
  },
  typing: ({ customerId, phoneNumberId }) => {
    if (customerId !== chosenId || phoneNumberId !== numberId) return
    typing.hidden = false
    scrollDown()
    clearTimeout(typingTimer)
    typingTimer = window.setTimeout(() => {
      typing.hidden = true
    }, TYPING_SHOWN_MS)
  },
  customer: ({ customerId }) => {
    getCustomer(customerId).then(
      () => refreshCustomer(customerId),
      () => load(),
    )
  },
  faults: ({ faults }) => {
    state.faults = faults
    tools.showFaults(faults, state.customers, nameOf)
  },
  clock: () => {
    tools.tell('Time passed')
    ask(load)
  },
  refused: ({ message, details }) =>
    tools.tell(`Refused: ${message}${details ? ` · ${details}` : ''}`, 'bad'),
  webhook: ({ http, attempt }) => {
    if (http === 200) return
    tools.tell(
      `The webhook was ${http ? `answered ${http}` : 'not answered'} (attempt ${attempt}); it comes again`,
      'bad',
    )
  },
}

const load = async (): Promise<void> => {
  state = await getState()
  aheadMs = state.nowMs - Date.now()
  if (!state.numbers.some(({ id }) => id === numberId)) numberId = state.numbers[0]?.id ?? ''
  if (!chosen()) chosenId = null
  if (!chosenId && matchMedia('(min-width: 900px)').matches)
    chosenId =
      [...state.customers].sort((a, b) => (b.lastEntry?.atMs ?? 0) - (a.lastEntry?.atMs ?? 0))[0]?.id ?? null
  document.body.classList.toggle('in-thread', chosenId !== null && matchMedia('(max-width: 899px)').matches)
  tools.showFaults(state.faults, state.customers, nameOf)
  await showChosen()
}

const follow = (): void => {
  const feed = openFeed()
  // Whatever was missed while the connection was gone is read again.
  feed.addEventListener('open', () => ask(load))
  for (const name of Object.keys(HANDLERS) as (keyof Told)[])
    feed.addEventListener(name, (event) => {
      if (state) (HANDLERS[name] as (told: unknown) => void)(JSON.parse(event.data))
    })
  feed.addEventListener('error', () => say('The sandbox does not answer. Trying again…'))
}

document.addEventListener('visibilitychange', readChosen)
document.addEventListener('click', ({ target }) => {
  for (const open of document.querySelectorAll<HTMLDetailsElement>(
    'details.attach[open], details.react[open]',
  ))
    if (target instanceof Node && !open.contains(target)) open.open = false
})
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') document.body.classList.remove('with-tools')
})
setInterval(() => {
  if (state) showTime()
}, 30_000)

const veil = element('button', {
  type: 'button',
  class: 'veil',
  'aria-label': 'Close tools',
  on: { click: () => document.body.classList.remove('with-tools') },
})
document.querySelector('#app')!.append(people, phone, veil, tools.panel, dialog, toast)
follow()
