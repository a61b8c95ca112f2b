// Messenger's part of the Graph API for one page, and the people who write to it.
import type { FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import type { Entry } from '../entry.ts'
import { type App, ControlError, type Json, objectOf, parametersOf } from '../http.ts'
import { type ChatInput, fileUrlOf, type Hub, keepUpload, readInput, shownNow, type Tap } from '../hub.ts'
import { samplePicture } from '../media.ts'
import type { Person } from '../people.ts'
import { makeProvider, type Provider } from '../provider.ts'
import { Address } from '../shapes.ts'
import { GraphError } from '../whatsapp/graph-error.ts'
import { signedHeaders } from '../whatsapp/signed-headers.ts'
import { type QuickReply, readQuickReplies } from './quick-replies.ts'

export const MessengerConnection = Type.Object({
  pageId: Type.String(),
  pageName: Type.String(),
  accessToken: Type.String(),
  appSecret: Type.String(),
  verifyToken: Type.String(),
  webhookUrl: Address,
})

type Page = Provider<Static<typeof MessengerConnection>> & { newMid: () => string }

const TEXT_MAX = 2000
const WINDOW_MS = 24 * 3_600_000
const HUMAN_AGENT_MS = 7 * WINDOW_MS
const DELIVERED_AFTER_MS = 300
const APP_ID = 1517776481860111
const PICTURE_PX = 128

const REFUSALS: Record<number, { message: string; subcode?: number; http?: number }> = {
  10: { message: '(#10) This message is sent outside of allowed window.', subcode: 2018278 },
  100: { message: '(#100) No matching user found', subcode: 2018001 },
  190: { message: 'Invalid OAuth access token - Cannot parse access token', http: 401 },
  551: { message: "(#551) This person isn't available right now.", subcode: 1545041 },
  613: { message: '(#613) Calls to this api have exceeded the rate limit.', http: 429 },
  1200: { message: 'Temporary send message failure. Please try again later.', http: 500 },
}
const refuse = (asked = 551): GraphError => {
  const code = REFUSALS[asked] ? asked : 551
  return new GraphError(code, { app: 'messenger', http: 400, ...REFUSALS[code] })
}
const isInvalid = (message: string): GraphError =>
  new GraphError(100, { app: 'messenger', http: 400, message: `(#100) ${message}` })

export type Messenger = ReturnType<typeof makeMessenger>

export const makeMessenger = (hub: Hub) => {
  let made = Date.now()
  const connection = {
    pageId: '108242318712345',
    pageName: 'Hollow & Kiln',
    accessToken: 'sandbox-page-token',
    appSecret: 'sandbox-app-secret',
    verifyToken: 'sandbox-verify-token',
    webhookUrl: null,
  }
  const page: Page = {
    ...makeProvider<Page['connection']>(hub, { app: 'messenger', connection, refuse }),
    newMid: () => `m_${Buffer.from(`${++made}`).toString('base64url')}AtoSandbox`,
  }
  return {
    connection: page.connection,
    stop: page.outbox.stop,
    register: (app: App): void => {
      app.get<{ Params: { psid: string } }>('/profile-pictures/:psid(^\\d+).png', ({ params }, reply) =>
        reply.type('image/png').send(samplePicture(Number(params.psid) % 6, PICTURE_PX, PICTURE_PX)),
      )
    },
    /** Whether a Graph API call is about this page or a person who wrote to it. */
    isMine: (node: string): boolean => isPage(page, node) || hub.people.byPsid(node) !== undefined,
    answer: (request: FastifyRequest, node: string, edge: string | undefined): Promise<Json> =>
      answer(page, request, node, edge),
    write: (person: Person, input: ChatInput): Entry => receive(page, person, input),
    /** A tap on a quick reply of the latest message sends its title. */
    tap: (person: Person, { entry, choice }: Tap): Entry => {
      const replies = (entry.content.quickReplies ?? []) as QuickReply[]
      const reply = replies.find(({ title, payload }) => title === choice || payload === choice)
      if (!reply) throw new ControlError(`The message has no quick reply "${choice}".`)
      if (page.entries(person).at(-1) !== entry)
        throw new ControlError('Quick replies disappear with the next message.')
      return receive(page, person, { type: 'text', text: reply.title }, reply.payload)
    },
    react: (person: Person, entry: Entry, emoji: string): void => {
      page.publish(person, entry)
      const given = { action: 'react', emoji, reaction: NAMES[emoji] ?? 'other' }
      sendFrom(page, person, { reaction: { mid: entry.id, ...(emoji ? given : { action: 'unreact' }) } })
    },
    /** Opens the thread, which marks everything so far as seen. */
    read: (person: Person): void => {
      const seen = page
        .entries(person)
        .filter(({ from, status }) => from === 'business' && status !== 'read' && status !== 'failed')
      if (seen.length === 0) return
      for (const entry of seen) page.setStatus(person, entry, 'read')
      sendFrom(page, person, { read: { watermark: shownNow(hub) } })
    },
  }
}

const isPage = ({ connection }: Page, node: string): boolean => node === 'me' || node === connection.pageId

const sendWebhook = ({ hub, connection, outbox }: Page, messaging: Json): void => {
  const { webhookUrl, pageId, appSecret } = connection
  const time = shownNow(hub)
  const entry = [{ id: pageId, time, messaging: [{ timestamp: time, ...messaging }] }]
  const body = Buffer.from(JSON.stringify({ object: 'page', entry }))
  outbox.send(webhookUrl, body, signedHeaders(body, appSecret))
}
const sendFrom = (page: Page, { psid }: Person, what: Json): void =>
  sendWebhook(page, { sender: { id: psid }, recipient: { id: page.connection.pageId }, ...what })

const answer = async (
  page: Page,
  request: FastifyRequest,
  node: string,
  edge: string | undefined,
): Promise<Json> => {
  const { method, headers } = request
  const { accessToken, pageId, pageName } = page.connection
  const parameters = await parametersOf(request)
  // In a multipart form, these parts are JSON strings.
  for (const name of ['recipient', 'message'])
    if (typeof parameters[name] === 'string') parameters[name] = parse(parameters[name])
  const token = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? parameters.access_token
  if (token !== accessToken) throw refuse(190)
  if (isPage(page, node) && method === 'POST' && edge === 'messages') return send(page, parameters)
  if (isPage(page, node) && edge === 'subscribed_apps')
    return method === 'POST' ? { success: true } : { data: [{ id: String(APP_ID), name: 'Sandbox' }] }
  if (method === 'GET' && !edge) {
    const person = page.hub.people.byPsid(node)
    return person ? profileOf(page, person) : { id: pageId, name: pageName }
  }
  const message = `Unsupported ${method.toLowerCase()} request. Object with ID '${node}' does not exist`
  throw new GraphError(100, { app: 'messenger', http: 400, message, subcode: 33 })
}

const profileOf = ({ hub }: Page, { psid, name }: Person): Json => {
  const [first, ...rest] = name.split(' ')
  return {
    id: psid,
    first_name: first,
    last_name: rest.join(' '),
    name,
    profile_pic: `${hub.baseUrl()}/profile-pictures/${psid}.png`,
  }
}

const send = async (page: Page, parameters: Json): Promise<Json> => {
  const { hub, connection } = page
  const person = recipientOf(page, parameters)
  const recipient_id = person.psid
  const { sender_action: action } = parameters
  if (typeof action === 'string') {
    if (action === 'typing_on') page.showTyping(person)
    if (action === 'mark_seen') markSeen(page, person)
    if (action === 'react' || action === 'unreact')
      return page.accept(person, () => setReaction(page, person, action, objectOf(parameters.payload)))
    return { recipient_id }
  }
  const message = objectOf(parameters.message)
  const shown = await contentOf(page, message, parameters.filedata)
  return page.accept(person, () => {
    const mid = page.newMid()
    const entry = page.add(person, { id: mid, from: 'business', status: 'sent', ...shown })
    const { text, metadata } = message
    sendWebhook(page, {
      sender: { id: connection.pageId },
      recipient: { id: person.psid },
      message: {
        mid,
        is_echo: true,
        app_id: APP_ID,
        ...(shown.type === 'text' && { text }),
        ...(typeof metadata === 'string' && { metadata }),
      },
    })
    hub.clock.after(DELIVERED_AFTER_MS, () => {
      page.setStatus(person, entry, 'delivered')
      sendFrom(page, person, { delivery: { mids: [mid], watermark: shownNow(hub) } })
    })
    return { recipient_id, message_id: mid }
  })
}

const recipientOf = (page: Page, { recipient, tag }: Json): Person => {
  const { people, clock } = page.hub
  const person = people.byPsid(String(objectOf(recipient).id ?? ''))
  const last = person && page.entries(person).findLast(({ from }) => from === 'customer')
  if (!person || !last) throw refuse(100)
  if (page.isBlocked(person)) throw refuse()
  const windowMs = tag === 'HUMAN_AGENT' ? HUMAN_AGENT_MS : WINDOW_MS
  if (clock.now() - last.atMs > windowMs) throw refuse(10)
  return person
}

const contentOf = async (
  page: Page,
  message: Json,
  filedata: unknown,
): Promise<Pick<Entry, 'type' | 'content'>> => {
  const quickReplies = readQuickReplies(message.quick_replies, isInvalid)
  const { type, content } = await bareContentOf(page, message, filedata)
  return { type, content: { ...content, ...(quickReplies && { quickReplies }) } }
}

const bareContentOf = async (
  { hub }: Page,
  { attachment: attached, text }: Json,
  filedata: unknown,
): Promise<Pick<Entry, 'type' | 'content'>> => {
  const attachment = objectOf(attached)
  if (typeof attachment.type === 'string') {
    const { url } = objectOf(attachment.payload)
    const type = attachment.type === 'file' ? 'document' : attachment.type
    if (filedata instanceof File) return { type, content: await keepUpload(hub, filedata) }
    if (typeof url !== 'string') throw isInvalid('param message[attachment] must have a url')
    return { type, content: { link: url } }
  }
  if (typeof text !== 'string' || !text)
    throw isInvalid('Message cannot be empty, must provide valid attachment or text')
  if (text.length > TEXT_MAX)
    throw isInvalid(`Length of param message[text] must be less than or equal to ${TEXT_MAX}`)
  return { type: 'text', content: { text } }
}

const setReaction = (
  page: Page,
  person: Person,
  action: 'react' | 'unreact',
  { message_id, reaction }: Json,
): Json => {
  const entry = page.entries(person).find(({ id }) => id === message_id)
  if (!entry) throw isInvalid('param payload[message_id] is not a message of this conversation')
  if (action === 'unreact') delete entry.reactions.business
  else if (typeof reaction === 'string' && /^\p{Extended_Pictographic}/u.test(reaction))
    entry.reactions.business = reaction
  else throw isInvalid('param payload[reaction] must be an emoji')
  page.publish(person, entry)
  return { recipient_id: person.psid }
}

const NAMES: Record<string, string> = { '👍': 'like', '❤️': 'love', '😂': 'smile', '😮': 'wow' }

const markSeen = (page: Page, person: Person): void => {
  for (const entry of page.entries(person))
    if (entry.from === 'customer' && !entry.isReadByBusiness) {
      entry.isReadByBusiness = true
      page.publish(person, entry)
    }
}

const receive = (page: Page, person: Person, input: ChatInput, payload?: string): Entry => {
  const mid = page.newMid()
  const { type, content, file } = readInput(page.hub, input)
  const { latitude: lat, longitude: long } = content
  const attachment =
    type === 'location'
      ? { type, title: 'Pinned location', payload: { coordinates: { lat, long } } }
      : file && { type: input.type, payload: { url: fileUrlOf(page.hub, file.id) } }
  sendFrom(page, person, {
    message: {
      mid,
      ...(input.text && { text: input.text }),
      ...(payload !== undefined && { quick_reply: { payload } }),
      ...(attachment && { attachments: [attachment] }),
      ...(input.replyTo && { reply_to: { mid: input.replyTo } }),
    },
  })
  return page.add(person, { id: mid, from: 'customer', type, content, replyTo: input.replyTo ?? null })
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
