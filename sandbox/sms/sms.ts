// Twilio's API for one number, and the customers who text it.
import { createHmac, randomBytes } from 'node:crypto'
import Type, { type Static } from 'typebox'
import type { Entry } from '../entry.ts'
import { type App, type Json, parametersOf, Refusal } from '../http.ts'
import {
  acceptSend,
  addEntry,
  type ChatInput,
  fileUrlOf,
  type Hub,
  readInput,
  shownNow,
  tellEntry,
} from '../hub.ts'
import { makeOutbox } from '../outbox.ts'
import type { Person } from '../people.ts'
import { Address } from '../shapes.ts'

export const SmsConnection = Type.Object({
  accountSid: Type.String(),
  authToken: Type.String(),
  phoneNumber: Type.String(),
  webhookUrl: Address,
})

type Form = Record<string, string>

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
const refusalOf = (code: number): Refusal => {
  const { message, http = 400 } = REFUSALS[code]!
  const more_info = `https://www.twilio.com/docs/errors/${code}`
  const body = { code, message, more_info, status: http }
  return new Refusal(message, { http, body, told: { app: 'sms', code } })
}

const UNDELIVERED: Record<number, string> = {
  30003: 'Unreachable destination handset',
  30005: 'Unknown destination handset',
  30006: 'Landline or unreachable carrier',
  30007: 'Message filtered by the carrier',
}

export type Sms = ReturnType<typeof makeSms>

export const makeSms = (hub: Hub) => {
  const outbox = makeOutbox('sms', hub)
  const connection: Static<typeof SmsConnection> = {
    accountSid: `AC${'0'.repeat(32)}`,
    authToken: 'sandbox-auth-token',
    phoneNumber: '+15550001881',
    webhookUrl: null,
  }

  const newSid = (kind: 'SM' | 'MM' | 'ME'): string => kind + randomBytes(16).toString('hex')

  /** The signature covers the URL as the business configured it, even when a different one is requested. */
  const tell = (url: string | null, form: Form): void => {
    const signed =
      url +
      Object.keys(form)
        .sort()
        .map((name) => name + form[name])
        .join('')
    outbox.tell(url, Buffer.from(new URLSearchParams(form).toString()), {
      'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
      'user-agent': 'TwilioProxy/1.1',
      'x-twilio-signature': createHmac('sha1', connection.authToken).update(signed).digest('base64'),
    })
  }

  const messageRow = ({ id, content, status }: Entry, person: Person) => ({
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
    uri: `/2010-04-01/Accounts/${connection.accountSid}/Messages/${id}.json`,
  })

  const send = (form: Json) => {
    const to = String(form.To ?? '')
    if (!/^\+[1-9]\d{6,14}$/.test(to)) throw refusalOf(21211)
    const text = String(form.Body ?? '')
    const media = [form.MediaUrl ?? []].flat().map(String)
    if (!text && media.length === 0) throw refusalOf(21602)
    if (text.length > BODY_MAX) throw refusalOf(21617)
    // A number without a person gets a new one.
    const person = hub.people.byPhone(to) ?? hub.people.add({ name: to, phone: to })
    if (!person) throw refusalOf(30001)
    if (person.blocked.has('sms')) throw refusalOf(21610)
    const refuse = (code = 21610) => refusalOf(REFUSALS[code] ? code : 21610)
    return acceptSend(hub, { app: 'sms', person, refuse, failsLater: true }, (failsWith) => {
      const entry = addEntry(hub, person, 'sms', {
        id: newSid(media.length > 0 ? 'MM' : 'SM'),
        from: 'business',
        type: media.length > 0 ? 'image' : 'text',
        content: media.length > 0 ? { link: media[0], caption: text || undefined } : { text },
        status: 'accepted',
      })
      const callback = typeof form.StatusCallback === 'string' ? form.StatusCallback : null
      planStatuses(person, entry, callback, failsWith === null ? 30003 : (failsWith ?? null))
      return messageRow(entry, person)
    })
  }

  const planStatuses = (
    person: Person,
    entry: Entry,
    callback: string | null,
    failsWith: number | null,
  ): void => {
    const become = (status: 'sent' | 'delivered' | 'failed'): void => {
      entry.status = status
      if (status === 'failed')
        entry.error = { code: failsWith!, title: UNDELIVERED[failsWith!] ?? 'Message undelivered' }
      tellEntry(hub, person, 'sms', entry)
      const word = status === 'failed' ? 'undelivered' : status
      tell(callback, {
        AccountSid: connection.accountSid,
        ApiVersion: '2010-04-01',
        From: connection.phoneNumber,
        To: person.phone!,
        MessageSid: entry.id,
        SmsSid: entry.id,
        MessageStatus: word,
        SmsStatus: word,
        ...(status === 'failed' && { ErrorCode: String(failsWith) }),
      })
    }
    hub.clock.after(STATUS_AFTER_MS.sent, () => become('sent'))
    hub.clock.after(STATUS_AFTER_MS.delivered, () => become(failsWith === null ? 'delivered' : 'failed'))
  }

  const findSent = (id: string) => {
    for (const person of hub.people.list()) {
      const entry = person.chats.sms.entries.find((one) => one.id === id)
      if (entry) return { person, entry }
    }
    return undefined
  }

  type Asked = { Params: { sid: string; id: string; mediaId: string } }
  const registerAccount = async (app: App): Promise<void> => {
    app.addHook<Asked>('preHandler', async ({ headers, params }) => {
      const { accountSid, authToken } = connection
      const given = Buffer.from(headers.authorization?.replace(/^Basic /i, '') ?? '', 'base64').toString()
      if (given !== `${accountSid}:${authToken}`) throw refusalOf(20003)
      if (params.sid !== accountSid) throw refusalOf(20404)
    })
    app.get<Asked>('/:sid.json', ({ params: { sid } }, reply) =>
      reply.send({ sid, friendly_name: 'Sandbox', status: 'active', type: 'Full' }),
    )
    app.get('/:sid/IncomingPhoneNumbers.json', (_request, reply) => {
      const capabilities = { sms: true, mms: true }
      const number = { sid: `PN${'0'.repeat(32)}`, phone_number: connection.phoneNumber, capabilities }
      reply.send({ incoming_phone_numbers: [number] })
    })
    app.post('/:sid/Messages.json', async (request, reply) =>
      reply.code(201).send(send(await parametersOf(request))),
    )
    app.get<Asked>('/:sid/Messages/:id.json', ({ params }, reply) => {
      const found = findSent(params.id)
      if (!found) throw refusalOf(20404)
      reply.send(messageRow(found.entry, found.person))
    })
    app.get<Asked>('/:sid/Messages/:id/Media/:mediaId', ({ params }, reply) => {
      const found = hub.media.find(params.mediaId.slice(2), hub.clock.now())
      if (!found) throw refusalOf(20404)
      // The file is stored elsewhere and needs no password.
      reply.redirect(fileUrlOf(hub, found.id), 307)
    })
    app.all('/:sid/*', () => {
      throw refusalOf(20404)
    })
  }

  return {
    connection,
    register: (app: App): void => {
      app.register(registerAccount, { prefix: '/2010-04-01/Accounts' })
    },
    write: (person: Person, input: ChatInput): Entry => {
      const { file, ...shown } = readInput(hub, { ...input, text: input.text ?? '' })
      const text = input.text ?? ''
      const word = text.trim()
      // Twilio itself keeps track of opt-outs.
      if (STOP_WORDS.test(word)) person.blocked.add('sms')
      if (START_WORDS.test(word)) person.blocked.delete('sms')
      const sid = newSid(file ? 'MM' : 'SM')
      const { accountSid, phoneNumber, webhookUrl } = connection
      tell(webhookUrl, {
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
        ...(STOP_WORDS.test(word) && { OptOutType: 'STOP' }),
        ...(START_WORDS.test(word) && { OptOutType: 'START' }),
        ...(file && {
          MediaContentType0: file.mimeType,
          MediaUrl0: `${hub.baseUrl()}/2010-04-01/Accounts/${accountSid}/Messages/${sid}/Media/ME${file.id}`,
        }),
      })
      return addEntry(hub, person, 'sms', { id: sid, from: 'customer', ...shown })
    },
    stop: outbox.stop,
  }
}
