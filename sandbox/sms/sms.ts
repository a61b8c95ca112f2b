// Twilio's API for one number, and the customers who text it.
import { createHmac, randomBytes } from 'node:crypto'
import Type, { type Static } from 'typebox'
import type { Entry } from '../entry.ts'
import { type App, type Json, parametersOf, Refusal } from '../http.ts'
import { type ChatInput, fileUrlOf, type Hub, readInput, shownNow } from '../hub.ts'
import type { Person } from '../people.ts'
import { makeProvider, type Provider } from '../provider.ts'
import { Address } from '../shapes.ts'

export const SmsConnection = Type.Object({
  accountSid: Type.String(),
  authToken: Type.String(),
  phoneNumber: Type.String(),
  webhookUrl: Address,
})

type Account = Provider<Static<typeof SmsConnection>>

const ROOT = '/2010-04-01/Accounts'
const BODY_MAX = 1600
const STOP_WORDS = /^(stop|stopall|unsubscribe|cancel|end|quit|revoke|optout)$/i
const START_WORDS = /^(start|yes|unstop)$/i
const STATUS_AFTER_MS = { sent: 150, delivered: 600 }

const REFUSALS: Record<number, { message: string; http?: number }> = {
  20003: { message: 'Authenticate', http: 401 },
  20404: { message: 'The requested resource was not found', http: 404 },
  20429: { message: 'Too Many Requests', http: 429 },
  20500: { message: 'An internal server error has occurred', http: 500 },
  21211: { message: "The 'To' number is not a valid phone number." },
  21602: { message: 'Message body is required.' },
  21610: { message: 'Attempt to send to unsubscribed recipient' },
  21617: { message: 'The concatenated message body exceeds the 1600 character limit' },
  30001: { message: 'Queue overflow', http: 429 },
}
const refuse = (asked = 21610): Refusal => {
  const code = REFUSALS[asked] ? asked : 21610
  const { message, http = 400 } = REFUSALS[code]!
  const more_info = `https://www.twilio.com/docs/errors/${code}`
  const body = { code, message, more_info, status: http }
  return new Refusal(message, { http, body, activity: { app: 'sms', code } })
}

const UNDELIVERED: Record<number, string> = {
  30003: 'Unreachable destination handset',
  30005: 'Unknown destination handset',
  30006: 'Landline or unreachable carrier',
  30007: 'Message filtered by the carrier',
}

export type Sms = ReturnType<typeof makeSms>

export const makeSms = (hub: Hub) => {
  const connection = {
    accountSid: `AC${'0'.repeat(32)}`,
    authToken: 'sandbox-auth-token',
    phoneNumber: '+15550001881',
    webhookUrl: null,
  }
  const account: Account = makeProvider(hub, { app: 'sms', connection, refuse, failsLater: true })
  return {
    connection: account.connection,
    stop: account.outbox.stop,
    register: (app: App): void => {
      app.register(async (scope) => registerAccount(scope, account), { prefix: ROOT })
    },
    write: (person: Person, input: ChatInput): Entry => receive(account, person, input),
  }
}

const newSid = (hasMedia: boolean): string => (hasMedia ? 'MM' : 'SM') + randomBytes(16).toString('hex')

/** The signature covers the URL as the business configured it, even when a different one is requested. */
const sendForm = (
  { connection, outbox }: Account,
  url: string | null,
  form: Record<string, string>,
): void => {
  const fields = Object.keys(form).sort()
  const signed = url + fields.map((name) => name + form[name]).join('')
  outbox.send(url, Buffer.from(new URLSearchParams(form).toString()), {
    'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
    'user-agent': 'TwilioProxy/1.1',
    'x-twilio-signature': createHmac('sha1', connection.authToken).update(signed).digest('base64'),
  })
}

type Call = { Params: { sid: string; id: string; mediaId: string } }

const registerAccount = (app: App, account: Account): void => {
  const { hub, connection } = account
  app.addHook<Call>('preHandler', async ({ headers, params }) => {
    const { accountSid, authToken } = connection
    const given = Buffer.from(headers.authorization?.replace(/^Basic /i, '') ?? '', 'base64').toString()
    if (given !== `${accountSid}:${authToken}`) throw refuse(20003)
    if (params.sid !== accountSid) throw refuse(20404)
  })
  app.get<Call>('/:sid.json', ({ params: { sid } }, reply) =>
    reply.send({ sid, friendly_name: 'Sandbox', status: 'active', type: 'Full' }),
  )
  app.get('/:sid/IncomingPhoneNumbers.json', (_request, reply) => {
    const capabilities = { sms: true, mms: true }
    const number = { sid: `PN${'0'.repeat(32)}`, phone_number: connection.phoneNumber, capabilities }
    reply.send({ incoming_phone_numbers: [number] })
  })
  app.post('/:sid/Messages.json', async (request, reply) =>
    reply.code(201).send(send(account, await parametersOf(request))),
  )
  app.get<Call>('/:sid/Messages/:id.json', ({ params }, reply) => {
    for (const person of hub.people.list()) {
      const entry = account.entries(person).find(({ id }) => id === params.id)
      if (entry) return reply.send(messageRow(account, person, entry))
    }
    throw refuse(20404)
  })
  app.get<Call>('/:sid/Messages/:id/Media/:mediaId', ({ params }, reply) => {
    const found = hub.media.find(params.mediaId.slice(2), hub.clock.now())
    if (!found) throw refuse(20404)
    // The file is stored elsewhere and needs no password.
    reply.redirect(fileUrlOf(hub, found.id), 307)
  })
  app.all('/:sid/*', () => {
    throw refuse(20404)
  })
}

const send = (account: Account, form: Json) => {
  const { people } = account.hub
  const to = String(form.To ?? '')
  if (!/^\+[1-9]\d{6,14}$/.test(to)) throw refuse(21211)
  const text = String(form.Body ?? '')
  const [link] = [form.MediaUrl ?? []].flat().map(String)
  if (!text && link === undefined) throw refuse(21602)
  if (text.length > BODY_MAX) throw refuse(21617)
  // A number without a person gets a new one.
  const person = people.byPhone(to) ?? people.add({ name: to, phone: to })
  if (!person) throw refuse(30001)
  if (account.isBlocked(person)) throw refuse()
  return account.accept(person, (failsWith) => {
    const entry = account.add(person, {
      id: newSid(link !== undefined),
      from: 'business',
      ...(link === undefined
        ? { type: 'text', content: { text } }
        : { type: 'image', content: { link, caption: text || undefined } }),
      status: 'accepted',
    })
    const callback = typeof form.StatusCallback === 'string' ? form.StatusCallback : null
    planStatuses(account, person, entry, { callback, failsWith: failsWith === null ? 30003 : failsWith })
    return messageRow(account, person, entry)
  })
}

const messageRow = ({ hub, connection }: Account, person: Person, { id, content, status }: Entry) => ({
  sid: id,
  account_sid: connection.accountSid,
  api_version: '2010-04-01',
  from: connection.phoneNumber,
  to: person.phone,
  body: content.text ?? '',
  status: status === 'accepted' ? 'queued' : (status ?? 'queued'),
  num_segments: '1',
  num_media: content.link ? '1' : '0',
  direction: 'outbound-api',
  error_code: null,
  error_message: null,
  date_created: new Date(shownNow(hub)).toUTCString(),
  uri: `${ROOT}/${connection.accountSid}/Messages/${id}.json`,
})

const planStatuses = (
  account: Account,
  person: Person,
  entry: Entry,
  { callback, failsWith }: { callback: string | null; failsWith: number | undefined },
): void => {
  const { accountSid, phoneNumber } = account.connection
  const become = (status: 'sent' | 'delivered' | 'failed'): void => {
    if (status === 'failed')
      entry.error = { code: failsWith!, title: UNDELIVERED[failsWith!] ?? 'Message undelivered' }
    account.setStatus(person, entry, status)
    const word = status === 'failed' ? 'undelivered' : status
    sendForm(account, callback, {
      AccountSid: accountSid,
      ApiVersion: '2010-04-01',
      From: phoneNumber,
      To: person.phone!,
      MessageSid: entry.id,
      SmsSid: entry.id,
      MessageStatus: word,
      SmsStatus: word,
      ...(status === 'failed' && { ErrorCode: String(failsWith) }),
    })
  }
  const { clock } = account.hub
  clock.after(STATUS_AFTER_MS.sent, () => become('sent'))
  clock.after(STATUS_AFTER_MS.delivered, () => become(failsWith === undefined ? 'delivered' : 'failed'))
}

const receive = (account: Account, person: Person, input: ChatInput): Entry => {
  const { hub, connection } = account
  const { accountSid, phoneNumber, webhookUrl } = connection
  const text = input.text ?? ''
  const { file, ...shown } = readInput(hub, { ...input, text })
  // Twilio itself keeps track of opt-outs.
  const optOut = STOP_WORDS.test(text.trim()) ? 'STOP' : START_WORDS.test(text.trim()) ? 'START' : null
  if (optOut === 'STOP') person.blocked.add('sms')
  if (optOut === 'START') person.blocked.delete('sms')
  const sid = newSid(file !== null)
  sendForm(account, webhookUrl, {
    ToCountry: 'US',
    ToState: '',
    SmsMessageSid: sid,
    NumMedia: file ? '1' : '0',
    ToCity: '',
    FromZip: '',
    SmsSid: sid,
    FromState: '',
    SmsStatus: 'received',
    FromCity: '',
    Body: text,
    FromCountry: '',
    To: phoneNumber,
    NumSegments: '1',
    MessageSid: sid,
    AccountSid: accountSid,
    From: person.phone!,
    ApiVersion: '2010-04-01',
    ...(optOut && { OptOutType: optOut }),
    ...(file && {
      MediaContentType0: file.mimeType,
      MediaUrl0: `${hub.baseUrl()}${ROOT}/${accountSid}/Messages/${sid}/Media/ME${file.id}`,
    }),
  })
  return account.add(person, { id: sid, from: 'customer', ...shown })
}
