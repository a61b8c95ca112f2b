// The other end of every channel as a separate server: the providers' APIs and their webhooks, a mail server, the
// customers, and the controls.
import { makeClock } from './clock.ts'
import { addNumber, type Control, makeControl } from './control.ts'
import { registerControls } from './control-routes.ts'
import { makeFailures } from './failures.ts'
import { makeFeed } from './feed.ts'
import { type App, makeApp, urlOf } from './http.ts'
import type { Hub } from './hub.ts'
import { makeMailbox } from './mail/mailbox.ts'
import { startSmtp } from './mail/smtp.ts'
import { makeMedia } from './media.ts'
import { makeMessenger } from './messenger/messenger.ts'
import { type ModelControl, makeModelProvider } from './model/model.ts'
import { makeOidc, type OidcControl } from './oidc/oidc.ts'
import type { OidcOptions } from './oidc/state.ts'
import { makePeople, type PersonInput } from './people.ts'
import { type Connections, makePeopleControl, type PeopleControl } from './people-control.ts'
import { makeReceiver, type ReceiverControl } from './receiver/receiver.ts'
import { addSamples, DEFAULT_NUMBER } from './samples.ts'
import { servePage } from './serve-page.ts'
import { applySettings, defaultSettings, type SettingsPatch } from './settings.ts'
import { registerShop } from './shop.ts'
import { makeSms } from './sms/sms.ts'
import { makeTelegram } from './telegram/telegram.ts'
import { makeCustomers } from './whatsapp/customers.ts'
import { makeFaults } from './whatsapp/faults.ts'
import { registerGraph } from './whatsapp/graph.ts'
import { makePace } from './whatsapp/pace.ts'
import { makeSentRecord } from './whatsapp/sent-record.ts'
import type { BusinessNumber, Surroundings } from './whatsapp/surroundings.ts'
import { keyOf, makeTemplate } from './whatsapp/template.ts'
import { CATALOGUE } from './whatsapp/template-catalogue.ts'
import { makeWebhooks } from './whatsapp/webhooks.ts'
import type { World } from './whatsapp/world.ts'

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
  /** What the models' APIs require; null: nothing. */
  modelKey?: string | null
  /** Who signs in with it as an identity provider. */
  oidc?: Partial<OidcOptions>
  /** Called and awaited before the clock jumps, so that the business's own data can age too. */
  onAdvance?: ((hours: number) => Promise<void>) | null
}

export type { AnswerInput } from './model/model.ts'

export type Sandbox = {
  url: string
  /** The mail server for the business's outgoing mail. */
  smtpUrl: string | null
  stop: () => Promise<void>
  control: Control & PeopleControl & ModelControl & OidcControl & ReceiverControl
}

export const startSandbox = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  const { port = 0, host = '127.0.0.1', smtpPort = null, controlKey = null } = options
  let url = ''
  const world = makeWorld(options, () => url)
  const hub: Hub = {
    ...world,
    people: makePeople(world.customers),
    failures: makeFailures((failures) => world.feed.publish('failures', () => ({ failures }))),
  }
  const apps = {
    mail: makeMailbox(hub),
    telegram: makeTelegram(hub),
    messenger: makeMessenger(hub),
    sms: makeSms(hub),
  }
  const whatsapp = makeControl(world, options.onAdvance)
  const model = makeModelProvider({
    apiKey: options.modelKey ?? null,
    url: () => url,
    onChanged: () => world.feed.publish('model', () => ({})),
  })
  const oidc = makeOidc(hub.people, () => url, options.oidc)
  const receiver = makeReceiver({
    url: () => url,
    onChanged: () => world.feed.publish('receiver', () => ({})),
  })
  const control = {
    ...whatsapp,
    ...makePeopleControl(hub, apps, whatsapp.addCustomer),
    ...model.control,
    ...oidc.control,
    ...receiver.control,
  }
  control.connect(options.connections ?? {})
  addCustomers(control, hub, options)

  const app = makeApp(({ activity, message }) => {
    if (!activity) return
    if (!activity.app) world.sent.countRefusal(activity.code)
    world.feed.publish('refused', () => ({ ...activity, message }))
  })
  registerGraph(app, world, apps.messenger)
  for (const provider of [apps.messenger, apps.telegram, apps.sms]) provider.register(app)
  serveFiles(app, world)
  registerShop(app)
  model.register(app)
  oidc.register(app)
  receiver.register(app)
  app.register(async (scope) => registerControls(scope, { control, feed: world.feed, controlKey }), {
    prefix: '/control',
  })
  servePage(app)
  await app.listen({ port, host })
  url = urlOf('http', app.server)

  const stop = async (): Promise<void> => {
    for (const app of Object.values(apps)) app.stop()
    model.stop()
    world.clock.stop()
    world.webhooks.stop()
    world.feed.stop()
    await app.close()
  }
  if (smtpPort === null) return { url, smtpUrl: null, control, stop }
  try {
    const smtp = await startSmtp(hub, apps.mail, { port: smtpPort, host, isAccessToken: oidc.isAccessToken })
    return { url, smtpUrl: smtp.url, control, stop: () => smtp.stop().then(stop) }
  } catch (error) {
    await stop()
    throw error
  }
}

/** WhatsApp, with the business's numbers and templates. */
const makeWorld = (options: SandboxOptions, baseUrl: () => string): World => {
  const { numbers = [DEFAULT_NUMBER], templates = true, reach = null, ...rest } = options
  const {
    port,
    host,
    customers,
    people,
    connections,
    smtpPort,
    controlKey,
    modelKey,
    oidc,
    onAdvance,
    ...patch
  } = rest
  const settings = defaultSettings()
  applySettings(settings, patch)
  const feed = makeFeed()
  const surroundings: Surroundings = {
    settings,
    feed,
    clock: makeClock({ showsReal: () => settings.webhookTime === 'real' }),
    faults: makeFaults((faults) => feed.publish('faults', () => ({ faults }))),
    accounts: new Map(),
    numbers: new Map(),
    customers: makeCustomers(),
    sent: makeSentRecord(),
    media: makeMedia(),
    pace: makePace(),
    baseUrl,
    reach: (address) =>
      reach && address.startsWith(`${reach.from}/`) ? reach.to + address.slice(reach.from.length) : address,
  }
  const world = { ...surroundings, webhooks: makeWebhooks(surroundings) }
  for (const number of numbers) addNumber(world, number)
  if (templates)
    for (const account of world.accounts.values())
      for (const input of CATALOGUE) account.templates.set(keyOf(input), makeTemplate(input))
  return world
}

const addCustomers = (
  control: Sandbox['control'],
  hub: Hub,
  { customers = false, people = [] }: SandboxOptions,
): void => {
  if (customers === true) addSamples(control, hub)
  else for (const customer of customers || []) control.addCustomer(customer)
  for (const person of people) control.addPerson(person)
}

/** Files that need no token, like those on the providers' CDNs. */
const serveFiles = (app: App, { media, clock }: World): void => {
  app.get<{ Querystring: Record<string, string> }>('/files/', ({ query }, reply) => {
    const asked = new URLSearchParams(query)
    const file = media.find(asked.get('mid') ?? '', clock.now())
    if (!file || !media.isUrlValid(asked, clock.now())) return reply.code(404).send()
    return reply.type(file.mimeType).send(file.bytes)
  })
}
