// The customers: one in the chat box, the others at the sandbox's providers. Each writes, and keeps what they got.
import type { Page } from 'playwright-core'
import type { Ledger } from './ledger.ts'
import { isMachineCalm, marksIn } from './ledger.ts'
import type { Place } from './place.ts'
import type { Random } from './random.ts'

export type Channel = 'web' | 'whatsapp' | 'email' | 'telegram' | 'facebook' | 'sms'

export type Customer = {
  name: string
  channel: Channel
  write: (mark: string) => Promise<void>
  /** The marks of what they got, in order, as their app shows it. */
  got: () => Promise<string[]>
  read: () => Promise<void>
}

const TEXTS = [
  'Where is my order?',
  'Do you have it in blue? 💙',
  'هل يمكنني إرجاع الطقم؟ وصل مكسورًا',
  'Ist die Glasur spülmaschinenfest?',
  'שלום, האם אתם שולחים לחיפה?',
  'Merci !\n\nEncore une question : quand ouvrez-vous ?',
  'お皿は電子レンジで使えますか？',
  '<b>not bold</b> & "quotes" https://shop.example/a?b=1&c=2',
]
const LONG = 'The parcel came on Tuesday and one of the bowls was cracked along the rim. '.repeat(16)

const NAMES: [Channel, string][] = [
  ['whatsapp', 'Änne Köhler'],
  ['whatsapp', 'محمد الأحمد'],
  ['whatsapp', '🦊 Fox'],
  ['email', 'Marcus Webb'],
  ['email', 'नीता शर्मा'],
  ['email', 'Ω'],
  ['telegram', 'Lena'],
  ['telegram', '👩‍👩‍👧 Familie Groß-Müller von und zu Hohenstein-Langenburg'],
  ['facebook', 'Joana Prado'],
  ['facebook', 'ليلى 🌙'],
  ['sms', 'Tom'],
  ['sms', 'Zoë'],
]

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

type Given = { place: Place; random: Random }

export const makeCustomers = (given: Given, chat: Page): Customer[] => [
  webCustomer(given, chat),
  ...NAMES.map(([channel, name], index) => {
    const { control } = given.place.sandbox
    const hasPhone = channel === 'whatsapp' || channel === 'sms'
    const person = control.addPerson({
      name,
      ...(hasPhone && { phone: `+4915110000${10 + index}` }),
      ...(channel === 'email' && { email: `customer${index}@mail.example` }),
    })
    const customer = {
      whatsapp: () => onWhatsApp(given, person.whatsappId!),
      email: () => byMail(given, person.id),
      telegram: () => inChat(given, person.id, 'telegram'),
      facebook: () => inChat(given, person.id, 'messenger'),
      sms: () => inChat(given, person.id, 'sms'),
    }[channel as Exclude<Channel, 'web'>]()
    return { name, channel, ...customer }
  }),
]

const textOf = ({ random }: Given, mark: string): string =>
  random.chance(0.08) ? `${mark} ${LONG}` : `${mark} ${random.pick(TEXTS)}`

type App = Pick<Customer, 'write' | 'got' | 'read'>

/** Of what the business sent. */
const marksOf = (entries: readonly { from: string; content: Record<string, unknown> }[]): string[] =>
  entries
    .filter(({ from }) => from === 'business')
    .flatMap(({ content }) => marksIn(String(content.text ?? content.caption ?? '')))

const onWhatsApp = (given: Given, id: string): App => {
  const { control } = given.place.sandbox
  return {
    write: async (mark) => {
      const { random } = given
      const kind = random.weighted([
        [8, 'text'],
        [1, 'image'],
        [1, 'document'],
      ] as const)
      if (kind === 'text') control.write(id, { type: 'text', text: textOf(given, mark) })
      else
        control.write(id, {
          type: kind,
          data: PIXEL,
          mimeType: kind === 'image' ? 'image/png' : 'application/pdf',
          fileName: kind === 'image' ? 'crack.png' : 'invoice.pdf',
          caption: `${mark} as you see`,
        })
    },
    got: async () => marksOf(control.thread(id)),
    read: async () => void control.read(id),
  }
}

const inChat = (given: Given, personId: string, app: 'telegram' | 'messenger' | 'sms'): App => {
  const { control } = given.place.sandbox
  return {
    write: async (mark) => {
      if (app === 'telegram' && given.random.chance(0.15))
        control.writeChat(personId, app, { type: 'image', text: `${mark} as you see` })
      else control.writeChat(personId, app, { type: 'text', text: textOf(given, mark) })
    },
    got: async () => marksOf(control.chat(personId, app)),
    read: async () => control.readChat(personId, app),
  }
}

const byMail = (given: Given, personId: string): App => {
  const { control } = given.place.sandbox
  return {
    write: async (mark) => {
      const { random } = given
      const latest = control.mails(personId).findLast(({ direction }) => direction === 'received')
      const answers = latest && random.chance(0.8)
      await control.writeMail(personId, {
        kind: 'mail',
        ...(answers ? { replyTo: latest.id } : { subject: `Order ${random.between(1_000, 9_999)}` }),
        text: textOf(given, mark),
        ...(random.chance(0.15) && {
          attachments: [{ fileName: 'crack é.png', mimeType: 'image/png', data: PIXEL }],
        }),
      })
    },
    got: async () =>
      control
        .mails(personId)
        .filter(({ direction }) => direction === 'received')
        .flatMap(({ text }) => marksIn(ownTextOf(text))),
    read: async () => {},
  }
}

/** Where a quote or a signature begins. */
const QUOTE = /^(?:>|On |-- ?$)/

/** Without what it quotes. */
const ownTextOf = (text: string): string => {
  const lines = text.split('\n')
  const end = lines.findIndex((line) => QUOTE.test(line))
  return lines.slice(0, end === -1 ? lines.length : end).join('\n')
}

/** The chat box forgets nothing: what it shows is what the visitor got. */
const webCustomer = (given: Given, page: Page): Customer => {
  const bubbles = page.locator('#foyer-chat .message.other .bubble')
  return {
    name: 'Ann 🌻',
    channel: 'web',
    write: async (mark) => {
      const field = page.locator('#foyer-chat textarea')
      if (!(await field.isVisible())) await page.locator('#foyer-chat .launcher').click()
      await field.fill(textOf(given, mark).replaceAll('\n', ' '))
      await field.press('Enter')
    },
    got: async () => (await bubbles.allTextContents()).flatMap(marksIn),
    read: async () => {},
  }
}

/** Customers write on their own, some of them at the same moment, until told to stop. */
export const beCustomers = async (
  {
    random,
    ledger,
    customers,
    pauseMs,
  }: {
    random: Random
    ledger: Ledger
    customers: readonly Customer[]
    pauseMs: [number, number]
  },
  { isOver, rest }: { isOver: () => boolean; rest: (ms: number) => Promise<void> },
): Promise<void> => {
  const write = async (customer: Customer): Promise<void> => {
    const mark = ledger.newMark('m')
    const { name, channel } = customer
    const one = { mark, customer: name, channel, atMs: performance.now(), isMachineCalm: isMachineCalm() }
    ledger.written.set(mark, one)
    try {
      await customer.write(mark)
      ledger.count(`customer writes (${channel})`, 'done')
    } catch (error) {
      ledger.written.delete(mark)
      const isHindered = ledger.isTroubled(null, one.atMs, performance.now())
      ledger.count(`customer writes (${channel})`, isHindered ? 'hindered' : 'failed')
      if (!isHindered) ledger.find('customer', `${channel}: ${String(error).slice(0, 200)}`)
    }
  }
  while (!isOver()) {
    const first = random.pick(customers)
    const second = random.chance(0.25) ? random.pick(customers) : null
    await Promise.all([write(first), second && second !== first ? write(second) : null])
    if (random.chance(0.2)) await write(first)
    if (random.chance(0.3)) await random.pick(customers).read()
    await rest(random.between(...pauseMs))
  }
}
