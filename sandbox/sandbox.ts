// WhatsApp's side of the conversation, as a server of its own: the Graph API, the webhooks that it sends, the customers,
// and the controls.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeClock } from './clock.ts'
import { addNumber, type Control, makeControl } from './control.ts'
import { answerControl } from './control-routes.ts'
import { makeFeed } from './feed.ts'
import { answerJson } from './http.ts'
import { answerPage } from './serve-page.ts'
import { applySettings, defaultSettings, type SettingsPatch } from './settings.ts'
import { makeCustomers } from './whatsapp/customers.ts'
import { makeFaults } from './whatsapp/faults.ts'
import { answerGraph } from './whatsapp/graph.ts'
import { makeMedia } from './whatsapp/media.ts'
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
  /** The controls then ask for it in `x-sandbox-key`: for a sandbox that only its keeper may steer. */
  controlKey?: string | null
  /** Told before the clock jumps, and waited for: whoever keeps the business's own clock can keep up. */
  onAdvance?: ((hours: number) => Promise<void>) | null
}

export type Sandbox = { url: string; stop: () => Promise<void>; control: Control }

export const DEFAULT_NUMBER = {
  id: '106540352242922',
  businessAccountId: '102290129340398',
  displayPhoneNumber: '+1 555-078-3881',
  verifiedName: 'Hollow & Kiln',
}

const SAMPLE_CUSTOMERS: Parameters<Control['addCustomer']>[0][] = [
  { phone: '+49 1512 3456789', profileName: 'Änne Köhler', receipts: 'opened' },
  { phone: '+1 650-555-1234', profileName: 'Marcus Webb', receipts: 'opened' },
  { phone: '+55 11 96543-2109', profileName: 'Joana Prado', receipts: 'opened' },
  { username: 'lena.draws', profileName: 'Lena', receipts: 'opened', userId: 'US.13491208655302741918' },
]

export const startSandbox = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  const {
    port = 0,
    host = '127.0.0.1',
    numbers = [DEFAULT_NUMBER],
    customers = false,
    templates = true,
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
  } satisfies Omit<World, 'webhooks'>
  // The webhooks read the rest of the world, and the rest tells through them.
  const world = parts as typeof parts & World
  world.webhooks = makeWebhooks(world)

  for (const number of numbers) addNumber(world, number)
  if (templates)
    for (const account of world.accounts.values())
      for (const input of CATALOGUE) account.templates.set(keyOf(input), makeTemplate(input))
  const control = makeControl(world, onAdvance)
  const people = customers === true ? SAMPLE_CUSTOMERS : customers || []
  for (const customer of people) control.addCustomer(customer)

  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0]!
    // Behind Foyer the page lives at /sandbox/; here it does too, with its controls and nothing else.
    const isPage = path === '/sandbox' || path.startsWith('/sandbox/')
    if (isPage) request.url = request.url!.slice('/sandbox'.length).replace(/^(?!\/)/, '/')
    const answered = request.url!.startsWith('/control/')
      ? answerControl({ control, feed, controlKey }, request, response)
      : !isPage && /^\/(v\d|whatsapp_business\/)/.test(path)
        ? answerGraph(world, request, response)
        : answerPage(path, request, response)
    answered.catch((error: unknown) => {
      // A caller that went away is no failure of ours; anything else is, and must be seen.
      if (response.destroyed || request.destroyed) return
      console.error(error)
      answerJson(response, 500, { error: 'the sandbox failed; its standard error says why' })
    })
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address() as AddressInfo
  url = `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`

  return {
    url,
    control,
    stop: async () => {
      world.clock.stop()
      world.webhooks.stop()
      feed.stop()
      await new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      })
    },
  }
}
