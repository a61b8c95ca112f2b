// The load, and the ledger outside of Foyer: what was acknowledged to whom.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { log } from '../foyer.ts'
import { type Answers, insist, makeAnswers } from './client.ts'
import { makeSigned } from './provider.ts'

export type Place = {
  urls: readonly string[]
  tokens: readonly string[]
  whatsappId: string
  webId: string
}

export type Ledger = {
  /** The text of each acknowledged reply → the id that the API returned. */
  replies: Map<string, string>
  /** The provider's ids of inbound messages that were acknowledged. */
  inbound: Set<string>
  /** The text of each acknowledged message of a visitor → its id. */
  visits: Map<string, string>
  reads: number
  api: Answers
  webhooks: Answers
  chats: Answers
  readers: Answers
}

const CUSTOMERS = 40
const REPLIERS = 6
const REPLY_EVERY_MS = 500
const INBOUND = 3
const INBOUND_EVERY_MS = 300
const VISITORS = 2
const VISIT_EVERY_MS = 2_000
const READERS = 2
const READ_EVERY_MS = 300
const MESSAGES_PER_VISIT = 20

const PAGES = ['/conversations?limit=20', '/contacts?sort=created&limit=20', '/messages?limit=20', '/me']

export const makeLedger = (): Ledger => ({
  replies: new Map(),
  inbound: new Set(),
  visits: new Map(),
  reads: 0,
  api: makeAnswers(),
  webhooks: makeAnswers(),
  chats: makeAnswers(),
  readers: makeAnswers(),
})

export const startLoad = async ({ urls, tokens, whatsappId, webId }: Place, ledger: Ledger) => {
  let isOver = false
  let turn = 0
  const authorization = () => ({ authorization: `Bearer ${tokens[turn++ % tokens.length]}` })

  const receive = async (customer: number): Promise<void> => {
    const id = `wamid.in.${randomUUID()}`
    const from = `3519${String(100_000_000 + customer)}`
    const signed = makeSigned({
      contacts: [{ profile: { name: `Customer ${customer}` }, wa_id: from }],
      messages: [
        {
          ...{ from, id, timestamp: String(Math.floor(Date.now() / 1_000)), type: 'text' },
          text: { body: `inbound ${id}` },
        },
      ],
    })
    await insist(urls, { path: `/webhooks/whatsapp/${whatsappId}`, ...signed }, ledger.webhooks)
    ledger.inbound.add(id)
  }

  for (let customer = 0; customer < CUSTOMERS; customer++) await receive(customer)
  const { conversations } = await insist(
    urls,
    { method: 'GET', path: '/api/v1/conversations?limit=100', headers: authorization() },
    ledger.readers,
  )
  const ids = (conversations as { id: string }[]).map(({ id }) => id)

  let replies = 0
  const reply = async (): Promise<void> => {
    const text = `reply ${++replies}`
    const { message } = await insist(
      urls,
      {
        path: `/api/v1/conversations/${ids[Math.floor(Math.random() * ids.length)]}/messages`,
        headers: { ...authorization(), 'idempotency-key': `trial-${text.replace(' ', '-')}` },
        body: JSON.stringify({ body: text }),
      },
      ledger.api,
    )
    ledger.replies.set(text, message.id)
  }

  let visits = 0
  const makeVisitor = () => {
    let visitor = ''
    let left = 0
    return async (): Promise<void> => {
      if (left-- === 0) {
        left = MESSAGES_PER_VISIT
        const path = `/widget/${webId}/session`
        visitor = (await insist(urls, { path, headers: {}, body: '{}' }, ledger.chats)).token
      }
      const text = `visit ${++visits}`
      const { message } = await insist(
        urls,
        {
          path: `/widget/${webId}/messages`,
          headers: { authorization: `Bearer ${visitor}` },
          body: JSON.stringify({ body: text, clientId: randomUUID() }),
        },
        ledger.chats,
      )
      ledger.visits.set(text, message.id)
    }
  }

  const read = async (): Promise<void> => {
    const path = `/api/v1${PAGES[turn % PAGES.length]}`
    await insist(urls, { method: 'GET', path, headers: authorization() }, ledger.readers)
    ledger.reads++
  }

  const loop = (count: number, everyMs: number, make: () => () => Promise<void>): Promise<void>[] =>
    Array.from({ length: count }, async () => {
      const work = make()
      while (!isOver) {
        await work()
        await delay(everyMs)
      }
    })
  const running = [
    ...loop(REPLIERS, REPLY_EVERY_MS, () => reply),
    ...loop(INBOUND, INBOUND_EVERY_MS, () => () => receive(Math.floor(Math.random() * CUSTOMERS))),
    ...loop(VISITORS, VISIT_EVERY_MS, makeVisitor),
    ...loop(READERS, READ_EVERY_MS, () => read),
  ]
  const failed = Promise.all(running)
  // A load that breaks off would make the trial a pretence.
  failed.catch((error) => {
    log(`THE LOAD FAILED: ${error}`)
    process.exit(1)
  })
  return {
    /** Ends the load. Requests that are under way are repeated until they are acknowledged. */
    stop: async () => {
      isOver = true
      await failed
    },
  }
}
