// WhatsApp for the trial: it keeps what it received, by text, and reports each delivery to Foyer until that is accepted.
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { type Answers, insist } from './client.ts'

export const NUMBER_ID = '106540352242922'
export const APP_SECRET = 'trial-app-secret'
const LATENCY_MS = 20

type Place = { urls: readonly string[]; channelId: () => string; answers: Answers }

export const makeSigned = (value: object): { headers: Record<string, string>; body: string } => {
  const metadata = { display_phone_number: '15550783881', phone_number_id: NUMBER_ID }
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [
      {
        id: '102290129340398',
        changes: [{ field: 'messages', value: { messaging_product: 'whatsapp', metadata, ...value } }],
      },
    ],
  })
  const signature = createHmac('sha256', APP_SECRET).update(body).digest('hex')
  return { headers: { 'x-hub-signature-256': `sha256=${signature}` }, body }
}

export const startProvider = async ({ urls, channelId, answers }: Place) => {
  /** How often each text arrived. */
  const received = new Map<string, number>()
  const reporting = new Set<Promise<unknown>>()
  let count = 0
  const report = (id: string, callbackData?: string): void => {
    const timestamp = String(Math.floor(Date.now() / 1_000))
    const statuses = [
      {
        ...{ id, status: 'delivered', timestamp, recipient_id: '1650' },
        ...(callbackData && { biz_opaque_callback_data: callbackData }),
      },
    ]
    const sent = insist(
      urls,
      { path: `/webhooks/whatsapp/${channelId()}`, ...makeSigned({ statuses }) },
      answers,
    )
    const done = sent.finally(() => reporting.delete(done))
    reporting.add(done)
  }
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return response.end('{"data":[]}')
    // The sender may die meanwhile.
    const asked = (await json(request).catch(() => null)) as {
      to?: string
      text?: { body: string }
      biz_opaque_callback_data?: string
    } | null
    if (!asked) return
    const text = asked.text?.body
    const id = `wamid.trial.${process.pid}.${count++}`
    if (text) received.set(text, (received.get(text) ?? 0) + 1)
    await delay(LATENCY_MS)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ contacts: [{ input: asked.to, wa_id: asked.to }], messages: [{ id }] }))
    if (text) report(id, asked.biz_opaque_callback_data)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    stop: async () => {
      await Promise.all(reporting)
      server.closeAllConnections()
      server.close()
    },
  }
}
