// Twilio's API for one number, and the people with whom it exchanges text messages.
import { createHmac, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Entry } from '../entry.ts'
import { answerJson } from '../http.ts'
import {
  addEntry,
  type ChatInput,
  fileUrlOf,
  type Hub,
  readParameters,
  takeFile,
  tellEntry,
  Unanswered,
} from '../hub.ts'
import { makeOutbox } from '../outbox.ts'
import type { Person } from '../people.ts'

export type SmsConnection = {
  accountSid: string
  authToken: string
  phoneNumber: string
  webhookUrl: string | null
}

type Form = Record<string, string>

const BODY_MAX = 1600
const STOP_WORDS = /^(stop|stopall|unsubscribe|cancel|end|quit|revoke|optout)$/i
const START_WORDS = /^(start|yes|unstop)$/i
const STATUS_AFTER_MS = { sent: 150, delivered: 600 }

class TwilioError extends Error {
  readonly code: number
  readonly http: number

  constructor(code: number, message: string, http = 400) {
    super(message)
    this.code = code
    this.http = http
  }
}

const REFUSALS: Record<number, () => TwilioError> = {
  20003: () => new TwilioError(20003, 'Authenticate', 401),
  20404: () => new TwilioError(20404, 'The requested resource was not found', 404),
  20429: () => new TwilioError(20429, 'Too Many Requests', 429),
  21211: () => new TwilioError(21211, "The 'To' number is not a valid phone number."),
  21610: () => new TwilioError(21610, 'Attempt to send to unsubscribed recipient'),
  21602: () => new TwilioError(21602, 'Message body is required.'),
  21617: () => new TwilioError(21617, 'The concatenated message body exceeds the 1600 character limit'),
  30001: () => new TwilioError(30001, 'Queue overflow', 429),
  20500: () => new TwilioError(20500, 'An internal server error has occurred', 500),
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
  const connection: SmsConnection = {
    accountSid: `AC${'0'.repeat(32)}`,
    authToken: 'sandbox-auth-token',
    phoneNumber: '+15550001881',
    webhookUrl: null,
  }

  const newSid = (kind: 'SM' | 'MM' | 'ME'): string => kind + randomBytes(16).toString('hex')

  /** The signature covers the address as the business configured it, wherever it is really reached. */
  const tell = (url: string, form: Form): void => {
    const signed =
      url +
      Object.keys(form)
        .sort()
        .map((name) => name + form[name])
        .join('')
    outbox.tell({
      url: hub.reach(url),
      body: Buffer.from(new URLSearchParams(form).toString()),
      headers: {
        'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
        'user-agent': 'TwilioProxy/1.1',
        'x-twilio-signature': createHmac('sha1', connection.authToken).update(signed).digest('base64'),
      },
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
    date_created: new Date(hub.clock.shown(hub.clock.now())).toUTCString(),
    uri: `/2010-04-01/Accounts/${connection.accountSid}/Messages/${id}.json`,
  })

  const send = (form: Record<string, unknown>) => {
    const to = String(form.To ?? '')
    if (!/^\+[1-9]\d{6,14}$/.test(to)) throw REFUSALS[21211]!()
    const text = String(form.Body ?? '')
    const media = [form.MediaUrl ?? []].flat().map(String)
    if (!text && media.length === 0) throw REFUSALS[21602]!()
    if (text.length > BODY_MAX) throw REFUSALS[21617]!()
    // A number that nobody set up is somebody's all the same.
    const person = hub.people.byPhone(to) ?? hub.people.add({ name: to, phone: to })
    if (!person) throw REFUSALS[30001]!()
    if (person.blocked.has('sms')) throw REFUSALS[21610]!()
    const failure = hub.failures.take('sms', person.id)
    if (failure?.kind === 'refuse') throw (REFUSALS[failure.code ?? 21610] ?? REFUSALS[21610]!)()
    if (failure && failure.kind !== 'fail' && !failure.isAccepted) throw new Unanswered(failure.kind)

    const entry = addEntry(hub, person, 'sms', {
      id: newSid(media.length > 0 ? 'MM' : 'SM'),
      from: 'business',
      type: media.length > 0 ? 'image' : 'text',
      content: media.length > 0 ? { link: media[0], caption: text || undefined } : { text },
      status: 'accepted',
    })
    const callback = typeof form.StatusCallback === 'string' ? form.StatusCallback : null
    planStatuses(person, entry, callback, failure?.kind === 'fail' ? (failure.code ?? 30003) : null)
    if (failure && failure.kind !== 'fail') throw new Unanswered(failure.kind)
    return messageRow(entry, person)
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
      if (callback)
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

  const isKnown = ({ headers }: IncomingMessage): boolean => {
    const given = Buffer.from(headers.authorization?.replace(/^Basic /i, '') ?? '', 'base64').toString()
    return given === `${connection.accountSid}:${connection.authToken}`
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url!.split('?', 1)[0]!
    try {
      if (!isKnown(request)) throw REFUSALS[20003]!()
      const [, , , sid, kind, id, part, mediaId] = path.split('/')
      if (sid?.replace(/\.json$/, '') !== connection.accountSid) throw REFUSALS[20404]!()
      if (request.method === 'POST' && kind === 'Messages.json')
        return answerJson(response, 201, send(await readParameters(request)))
      if (request.method === 'GET' && !kind)
        return answerJson(response, 200, { sid, friendly_name: 'Sandbox', status: 'active', type: 'Full' })
      if (request.method === 'GET' && kind === 'IncomingPhoneNumbers.json')
        return answerJson(response, 200, {
          incoming_phone_numbers: [
            {
              sid: `PN${'0'.repeat(32)}`,
              phone_number: connection.phoneNumber,
              capabilities: { sms: true, mms: true },
            },
          ],
        })
      if (part === 'Media' && mediaId) {
        const found = hub.media.find(mediaId.slice(2), hub.clock.now())
        if (!found) throw REFUSALS[20404]!()
        // The file itself lies elsewhere, and asks for no password.
        response.writeHead(307, { location: fileUrlOf(hub, found.id) }).end()
        return
      }
      const found = kind === 'Messages' && id ? findSent(id.replace(/\.json$/, '')) : undefined
      if (!found || request.method !== 'GET') throw REFUSALS[20404]!()
      answerJson(response, 200, messageRow(found.entry, found.person))
    } catch (error) {
      if (error instanceof Unanswered) {
        if (error.message === 'drop') request.socket.destroy()
        return
      }
      if (!(error instanceof TwilioError)) throw error
      const { code, http, message } = error
      hub.feed.tell('refused', () => ({ app: 'sms', code, message }))
      answerJson(response, http, {
        code,
        message,
        more_info: `https://www.twilio.com/docs/errors/${code}`,
        status: http,
      })
    }
  }

  const findSent = (id: string) => {
    for (const person of hub.people.list()) {
      const entry = person.chats.sms.entries.find((one) => one.id === id)
      if (entry) return { person, entry }
    }
    return undefined
  }

  return {
    connection,
    answer,
    write: (person: Person, input: ChatInput): Entry => {
      const file = input.type === 'image' || input.type === 'file' ? takeFile(hub, input) : null
      const text = input.text ?? ''
      const word = text.trim()
      // The provider itself keeps who wants nothing more.
      if (STOP_WORDS.test(word)) person.blocked.add('sms')
      if (START_WORDS.test(word)) person.blocked.delete('sms')
      const sid = newSid(file ? 'MM' : 'SM')
      const { accountSid, phoneNumber, webhookUrl } = connection
      if (webhookUrl)
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
      return addEntry(hub, person, 'sms', {
        id: sid,
        from: 'customer',
        type: input.type === 'file' ? 'document' : file ? 'image' : 'text',
        content: file
          ? { mediaId: file.id, mimeType: file.mimeType, fileName: file.fileName, caption: text || undefined }
          : { text },
      })
    },
    stop: outbox.stop,
  }
}
