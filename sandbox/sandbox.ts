// The other end of every channel as a separate server: the providers' APIs and their webhooks, a mail server, the
// customers, and the controls.
import type { AddressInfo } from 'node:net'
import { makeClock } from './clock.ts'
import { addNumber, type Control, makeControl } from './control.ts'
import { registerControls } from './control-routes.ts'
import { makeFailures } from './failures.ts'
import { makeFeed } from './feed.ts'
import { makeApp } from './http.ts'
import type { Hub } from './hub.ts'
import { makeMailbox } from './mail/mailbox.ts'
import { startSmtp } from './mail/smtp.ts'
import { makeMedia } from './media.ts'
import { makeMessenger } from './messenger/messenger.ts'
import { makePeople, type PersonInput } from './people.ts'
import { type Connections, makePeopleControl, type PeopleControl } from './people-control.ts'
import { addSamples, DEFAULT_NUMBER } from './samples.ts'
import { servePage } from './serve-page.ts'
import { applySettings, defaultSettings, type SettingsPatch } from './settings.ts'
import { makeSms } from './sms/sms.ts'
import { makeTelegram } from './telegram/telegram.ts'
import { makeCustomers } from './whatsapp/customers.ts'
import { makeFaults } from './whatsapp/faults.ts'
import { registerGraph } from './whatsapp/graph.ts'
import { makePace } from './whatsapp/pace.ts'
import { makeSentRecord } from './whatsapp/sent-record.ts'
import { CATALOGUE } from './whatsapp/template-catalogue.ts'
import { keyOf, makeTemplate } from './whatsapp/templates.ts'
import { makeWebhooks } from './whatsapp/webhooks.ts'
import type { BusinessNumber, World } from './whatsapp/world.ts'

export type SandboxOptions = SettingsPatch & {
  /** 0 for any free port. */
  port?: number
  host?: string
  /** The business's numbers; by default one of a made-up shop. */
  numbers?: (Omit<BusinessNumber, 'webhookUrl'> & { webhookUrl?: string | null })[]
  /** Customers to start with; `true` for a few made-up ones. */
  customers?: boolean | Parameters<Control['addCustomer']>[0][]
  /** Whether the business accounts start with the sample templates. */
  templates?: boolean
  /** Additional people, in the other apps. */
  people?: PersonInput[]
  /** The other providers' secrets and webhook URLs. */
  connections?: Connections
  /** The mail server's port; 0 for any free one, null for no mail server. */
  smtpPort?: number | null
  /** URLs of the business that start with `from` are requested at `to`. */
  reach?: { from: string; to: string } | null
  /** The key that the controls require in `x-sandbox-key`. */
  controlKey?: string | null
  /** Called and awaited before the clock jumps, so that the business's own data can age too. */
  onAdvance?: ((hours: number) => Promise<void>) | null
}

export type Sandbox = {
  url: string
  /** The mail server for the business's outgoing mail. */
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
  // The webhooks read the rest of the world, and the rest sends through them.
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

  const app = makeApp(({ told, message }) => {
    if (!told) return
    if (!told.app) world.sent.countRefusal(told.code)
    feed.tell('refused', () => ({ ...told, message }))
  })
  registerGraph(app, world, apps.messenger)
  for (const provider of [apps.messenger, apps.telegram, apps.sms]) provider.register(app)
  app.get<{ Querystring: Record<string, string> }>('/files/', ({ query }, reply) => {
    const asked = new URLSearchParams(query)
    const file = world.media.find(asked.get('mid') ?? '', world.clock.now())
    if (!file || !world.media.isUrlValid(asked, world.clock.now())) return reply.code(404).send()
    return reply.type(file.mimeType).send(file.bytes)
  })
  app.register(async (scope) => registerControls(scope, { control, feed, controlKey }), {
    prefix: '/control',
  })
  servePage(app)
  await app.listen({ port, host })
  const { address, port: taken, family } = app.server.address() as AddressInfo
  url = `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`

  const stop = async (): Promise<void> => {
    for (const app of Object.values(apps)) app.stop()
    world.clock.stop()
    world.webhooks.stop()
    feed.stop()
    await app.close()
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
