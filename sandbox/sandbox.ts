// The other side of every channel, as a server of its own: the providers' APIs and the webhooks that they send, a mail
// server, the customers, and the controls.
import { makeClock } from './clock.ts'
import { addNumber, type Control, makeControl } from './control.ts'
import { makeFailures } from './failures.ts'
import { makeFeed } from './feed.ts'
import { answerFile, type Hub } from './hub.ts'
import { makeMailbox } from './mail/mailbox.ts'
import { startSmtp } from './mail/smtp.ts'
import { makeMedia } from './media.ts'
import { makeMessenger } from './messenger/messenger.ts'
import { makePeople, type PersonInput } from './people.ts'
import { type Connections, makePeopleControl, type PeopleControl } from './people-control.ts'
import { addSamples, DEFAULT_NUMBER } from './samples.ts'
import { type Answer, serve } from './serve.ts'
import { applySettings, defaultSettings, type SettingsPatch } from './settings.ts'
import { makeSms } from './sms/sms.ts'
import { makeTelegram } from './telegram/telegram.ts'
import { makeCustomers } from './whatsapp/customers.ts'
import { makeFaults } from './whatsapp/faults.ts'
import { answerGraph } from './whatsapp/graph.ts'
import { makePace } from './whatsapp/pace.ts'
import { makeSentRecord } from './whatsapp/sent-record.ts'
import { CATALOGUE } from './whatsapp/template-catalogue.ts'
import { keyOf, makeTemplate } from './whatsapp/templates.ts'
import { makeWebhooks } from './whatsapp/webhooks.ts'
import type { BusinessNumber, World } from './whatsapp/world.ts'

export type SandboxOptions = SettingsPatch & {
  /** 0 takes any free port. */
  port?: number
  host?: string
  /** The business's numbers; one of a made-up shop when none is given. */
  numbers?: (Omit<BusinessNumber, 'webhookUrl'> & { webhookUrl?: string | null })[]
  /** Customers to begin with; a handful of made-up ones when `true`. */
  customers?: boolean | Parameters<Control['addCustomer']>[0][]
  /** Whether the business accounts begin with the catalogue of templates. */
  templates?: boolean
  /** People beside them, in the other apps. */
  people?: PersonInput[]
  /** The other providers: their secrets, and where the business is told. */
  connections?: Connections
  /** The port of the mail server; 0 takes any free one. There is none without it. */
  smtpPort?: number | null
  /** Where addresses of the business that begin with `from` are really reached. */
  reach?: { from: string; to: string } | null
  /** The controls then ask for it in `x-sandbox-key`: for a sandbox that only its keeper may steer. */
  controlKey?: string | null
  /** Told before the clock jumps, and waited for: whoever keeps the business's own clock can keep up. */
  onAdvance?: ((hours: number) => Promise<void>) | null
}

export type Sandbox = {
  url: string
  /** Where the business sends its mail. */
  smtpUrl: string | null
  stop: () => Promise<void>
  control: Control & PeopleControl
}

export const startSandbox = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  const {
    port = 0,
    host = '127.0.0.1',
    numbers = [DEFAULT_NUMBER],
    customers = false,
    templates = true,
    people = [],
    connections = {},
    smtpPort = null,
    reach = null,
    controlKey = null,
    onAdvance = null,
    ...patch
  } = options
  const settings = defaultSettings()
  applySettings(settings, patch)

  let url = ''
  const feed = makeFeed()
  const parts = {
    settings,
    feed,
    clock: makeClock({ showsReal: () => settings.webhookTime === 'real' }),
    faults: makeFaults((faults) => feed.tell('faults', () => ({ faults }))),
    accounts: new Map(),
    numbers: new Map(),
    customers: makeCustomers(),
    sent: makeSentRecord(),
    media: makeMedia(),
    pace: makePace(),
    baseUrl: () => url,
    reach: (address: string) =>
      reach && address.startsWith(`${reach.from}/`) ? reach.to + address.slice(reach.from.length) : address,
  } satisfies Omit<World, 'webhooks'>
  // The webhooks read the rest of the world, and the rest tells through them.
  const world = parts as typeof parts & World
  world.webhooks = makeWebhooks(world)

  for (const number of numbers) addNumber(world, number)
  if (templates)
    for (const account of world.accounts.values())
      for (const input of CATALOGUE) account.templates.set(keyOf(input), makeTemplate(input))
  const hub: Hub = {
    clock: world.clock,
    feed,
    media: world.media,
    people: makePeople(world.customers),
    failures: makeFailures((failures) => feed.tell('failures', () => ({ failures }))),
    baseUrl: () => url,
    reach: world.reach,
  }
  const apps = {
    mail: makeMailbox(hub),
    telegram: makeTelegram(hub),
    messenger: makeMessenger(hub),
    sms: makeSms(hub),
  }
  const whatsapp = makeControl(world, onAdvance)
  const control = { ...whatsapp, ...makePeopleControl(hub, apps, whatsapp.addCustomer) }
  control.connect(connections)
  if (customers === true) addSamples(control, hub)
  else for (const customer of customers || []) control.addCustomer(customer)
  for (const person of people) control.addPerson(person)

  /** Who answers an address: each provider has its own. */
  const providerAt = (path: string): Answer | undefined => {
    if (/^\/(file\/)?bot/.test(path)) return apps.telegram.answer
    if (path.startsWith('/2010-04-01/')) return apps.sms.answer
    if (path.startsWith('/profile-pictures/')) return apps.messenger.answer
    if (path.startsWith('/files/')) return (request, response) => answerFile(hub, request, response)
    if (/^\/v\d/.test(path) && apps.messenger.isMine(path)) return apps.messenger.answer
    if (/^\/(v\d|whatsapp_business\/)/.test(path))
      return (request, response) => answerGraph(world, request, response)
    return undefined
  }

  const server = await serve({ control, feed, controlKey, providerAt }, { port, host })
  url = server.url

  const stop = async (): Promise<void> => {
    for (const app of Object.values(apps)) app.stop()
    world.clock.stop()
    world.webhooks.stop()
    feed.stop()
    await server.close()
  }
  if (smtpPort === null) return { url, smtpUrl: null, control, stop }
  try {
    const smtp = await startSmtp(hub, apps.mail, { port: smtpPort, host })
    return { url, smtpUrl: smtp.url, control, stop: () => smtp.stop().then(stop) }
  } catch (error) {
    await stop()
    throw error
  }
}
