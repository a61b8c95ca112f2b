// The Graph API's routes: token, node, and simulated failures.
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type App, type Json, parametersOf, Refusal, Unanswered } from '../http.ts'
import { MEDIA_KINDS } from '../media.ts'
import type { Messenger } from '../messenger/messenger.ts'
import type { FaultOf } from './faults.ts'
import { GraphError, isInvalid, isMissing, isRefused } from './graph-error.ts'
import { acceptMessage, checkMessage, markRead, recipientsOf } from './send-message.ts'
import type { BusinessAccount, BusinessNumber } from './surroundings.ts'
import { listTemplates, pageOf, pagingOf } from './templates.ts'
import { shakeHands } from './webhooks.ts'
import type { World } from './world.ts'

const VERSIONS = { oldest: 21, newest: 26 }
/** The longest a response waits for the webhook that has to come first. */
const STATUS_FIRST_MAX_MS = 5000
const HTML =
  '<!DOCTYPE html><html><head><title>Error</title></head><body>Sorry, something went wrong.</body></html>'

type Call = { request: FastifyRequest; method: string; path: string; query: URLSearchParams }

/** One API for both of Meta's apps: a call is Messenger's if its node is the page or a person who wrote to it. */
export const registerGraph = (app: App, world: World, messenger: Messenger): void => {
  const callOf = (request: FastifyRequest): Call => {
    const [path = '', search] = request.url.split('?', 2)
    return { request, method: request.method, path, query: new URLSearchParams(search) }
  }
  app.all('/:version(^v\\d+\\.\\d+$)/*', async (request, reply) => {
    const call = callOf(request)
    reply.header('facebook-api-version', 'v25.0')
    const [version = '', nodeId = '', edge, ...more] = call.path.slice(1).split('/')
    const major = Number(version.slice(1, -2))
    if (!version.endsWith('.0') || major > VERSIONS.newest || more.length > 0 || !nodeId)
      throw new GraphError(2500, { message: `Unknown path components: ${call.path}` })
    if (major < VERSIONS.oldest)
      throw new GraphError(2635, {
        http: 400,
        message: `(#2635) You are calling a deprecated version of the API. Please update to the latest version: v${VERSIONS.newest}.0`,
      })
    if (messenger.isMine(nodeId)) return messenger.answer(request, nodeId, edge)
    checkToken(world, call)
    return answer(world, call, nodeId, edge)
  })
  app.get('/whatsapp_business/*', async (request, reply) => download(world, callOf(request), reply))
}

const answer = async (world: World, call: Call, nodeId: string, edge = ''): Promise<unknown> => {
  const number = world.numbers.get(nodeId)
  const account = world.accounts.get(nodeId)
  const asked = `${call.method} ${edge}`
  if (number && asked === 'POST messages') return messages(world, call, number)
  if (number && asked === 'POST media') return upload(world, call, number)
  if (number && asked === 'GET ') return numberRow(world, number, call.query)
  if (account && edge) return accountEdge(world, call, account, edge)
  if (account && asked === 'GET ') return { id: account.id, name: account.name }
  if (asked === 'GET ' || asked === 'DELETE ') return mediaNode(world, call, nodeId)
  throw doesNotExist(nodeId, call.method)
}

const doesNotExist = (id: string, method: string): GraphError =>
  new GraphError(100, {
    message: `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation. Please read the Graph API documentation at https://developers.facebook.com/docs/graph-api`,
    type: 'GraphMethodException',
    subcode: 33,
  })

const checkToken = ({ settings }: World, { request, query }: Call): void => {
  const token =
    /^(?:Bearer|OAuth) (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? query.get('access_token')
  if (!token) throw new GraphError(104)
  if (token !== settings.accessToken) throw new GraphError(190)
}

const checkPermission = ({ settings }: World, permission: keyof World['settings']['permissions']): void => {
  if (!settings.permissions[permission])
    throw new GraphError(10, {
      details: `The token lacks the permission whatsapp_business_${permission}.`,
    })
}

const messages = async (world: World, { request }: Call, number: BusinessNumber): Promise<unknown> => {
  const arrivedAt = performance.now()
  checkPermission(world, 'messaging')
  const raw = textOf(request)
  const message = parseObject(raw)
  if (message.messaging_product !== 'whatsapp') throw isMissing('messaging_product')
  if (message.status === 'read') {
    await beFaulty(world, { operation: 'read', phoneNumberId: number.id })
    return markRead(world, number, message)
  }

  const checked = checkMessage(world, number, message, raw)
  const call = { operation: 'send', phoneNumberId: number.id, recipients: recipientsOf(checked) } as const
  const trouble = world.faults.take([...TROUBLES], call)
  const isLost = trouble !== undefined && trouble.kind !== 'delay'
  if (isLost && !('isAccepted' in trouble && trouble.isAccepted)) throw errorOf(trouble)

  const failing = world.faults.take(['fail'], call)
  const first = world.faults.take(['status-first'], call)
  const { answer, firstSent } = acceptMessage(world, checked, {
    failsWith: failing && { code: failing.code, details: failing.details },
    skipsDelivered: world.faults.take(['skip-delivered'], call) !== undefined,
    isHeld: world.faults.take(['held'], call) !== undefined,
    sentNow: first !== undefined,
  })
  if (first) await Promise.race([firstSent, delay(STATUS_FIRST_MAX_MS, undefined, { ref: false })])
  if (isLost) throw errorOf(trouble)
  const waitMs =
    (trouble?.kind === 'delay' ? trouble.delayMs : 0) +
    world.settings.latencyMs -
    (performance.now() - arrivedAt)
  if (waitMs > 0) await delay(waitMs)
  return answer
}

const textOf = ({ body }: FastifyRequest): string => (body as Buffer | undefined)?.toString() ?? ''

const parseObject = (raw: string): Json => {
  try {
    const parsed = JSON.parse(raw)
    if (parsed && typeof parsed === 'object' && !Array.isArray(parsed)) return parsed
  } catch {}
  throw isInvalid('The request body is not a JSON object')
}

const TROUBLES = ['error', 'hang', 'drop', 'server-error', 'delay'] as const
type Trouble = FaultOf<(typeof TROUBLES)[number]>

/** Failures that can affect any call. */
const beFaulty = async (world: World, call: Parameters<World['faults']['take']>[1]): Promise<void> => {
  const fault = world.faults.take([...TROUBLES], call)
  if (fault?.kind === 'delay') await delay(fault.delayMs)
  else if (fault) throw errorOf(fault)
}

const errorOf = (fault: Exclude<Trouble, { kind: 'delay' }>): Error => {
  if (fault.kind === 'error') return new GraphError(fault.code, fault)
  if (fault.kind !== 'server-error') return new Unanswered(fault.kind)
  const { http = 500, body } = fault
  if (body === 'json') return new GraphError(http === 503 ? 2 : 131000, { http })
  const headers = { 'content-type': 'text/html; charset="utf-8"' }
  return new Refusal(
    'server error',
    body === 'html' ? { http, headers, body: HTML } : { http, body: undefined },
  )
}

const accountEdge = async (
  world: World,
  call: Call,
  account: BusinessAccount,
  edge: string,
): Promise<unknown> => {
  const { method, query, path } = call
  checkPermission(world, 'management')
  if (method === 'GET' && edge === 'message_templates') {
    await beFaulty(world, { operation: 'templates' })
    return listTemplates(world, account, query, path)
  }
  if (method === 'GET' && edge === 'phone_numbers') {
    await beFaulty(world, { operation: 'phone_numbers' })
    const numbers = [...world.numbers.values()].filter((number) => number.businessAccountId === account.id)
    const page = pageOf(numbers, query, 100)
    return {
      data: page.items.map((number) => numberRow(world, number, query)),
      ...pagingOf(page, query, world.baseUrl() + path),
    }
  }
  if (edge === 'subscribed_apps') {
    await beFaulty(world, { operation: 'subscribe' })
    return subscription(world, call, account)
  }
  throw doesNotExist(account.id, method)
}

const numberRow = (world: World, number: BusinessNumber, query: URLSearchParams): Json => {
  const all: Json = {
    verified_name: number.verifiedName,
    code_verification_status: 'VERIFIED',
    display_phone_number: number.displayPhoneNumber,
    quality_rating: 'GREEN',
    platform_type: 'CLOUD_API',
    throughput: { level: (world.settings.messagesPerSecond ?? 1000) > 80 ? 'HIGH' : 'STANDARD' },
    id: number.id,
    status: 'CONNECTED',
    name_status: 'APPROVED',
    account_mode: 'LIVE',
    is_official_business_account: false,
    last_onboarded_time: '2026-01-15T09:00:00+0000',
    whatsapp_business_manager_messaging_limit: 'TIER_100K',
  }
  const fields = query.get('fields')?.split(',').filter(Boolean) ?? Object.keys(all).slice(0, 7)
  const unknown = fields.find((field) => !(field in all))
  if (unknown)
    throw isInvalid(
      `Tried accessing nonexisting field (${unknown}) on node type (WhatsAppBusinessPhoneNumber)`,
    )
  return Object.fromEntries([...new Set([...fields, 'id'])].map((field) => [field, all[field]]))
}

const subscription = async (world: World, { request, method }: Call, account: BusinessAccount) => {
  if (method === 'DELETE') {
    account.isSubscribed = false
    account.webhookUrl = null
    return { success: true }
  }
  if (method === 'GET') {
    const api = { id: '670843887433847', name: 'Sandbox', link: 'https://www.facebook.com/' }
    const address = account.webhookUrl && { override_callback_uri: account.webhookUrl }
    return { data: account.isSubscribed ? [{ whatsapp_business_api_data: api, ...address }] : [] }
  }
  const raw = textOf(request)
  const { override_callback_uri: url, verify_token } = raw.length > 0 ? parseObject(raw) : ({} as Json)
  if (url !== undefined) {
    if (typeof url !== 'string' || !URL.canParse(url))
      throw isInvalid('override_callback_uri is not a valid URL')
    const isShaken = verify_token === world.settings.verifyToken && (await shakeHands(world, url))
    if (!isShaken)
      throw new GraphError(100, {
        message: '(#100) Callback verification failed: the URL did not return the challenge',
        subcode: 2200,
      })
    account.webhookUrl = url
  }
  account.isSubscribed = true
  return { success: true }
}

const upload = async (world: World, { request }: Call, number: BusinessNumber): Promise<unknown> => {
  checkPermission(world, 'messaging')
  await beFaulty(world, { operation: 'media_upload', phoneNumberId: number.id })
  const { messaging_product, file, type } = await parametersOf(request)
  if (messaging_product !== 'whatsapp') throw isMissing('messaging_product')
  if (!(file instanceof File)) throw isMissing('file')
  const mimeType = (file.type || String(type ?? '')).split(';')[0]!.trim()
  const kind = Object.values(MEDIA_KINDS).find(({ mimeTypes }) => mimeTypes.test(mimeType))
  if (!kind)
    throw isRefused(
      `Param file must be a file with one of the following types: audio/aac, audio/mp4, audio/mpeg, audio/amr, audio/ogg, application/pdf, text/plain, image/jpeg, image/png, image/webp, video/mp4, video/3gpp. Received file of type '${mimeType}'.`,
    )
  if (file.size > kind.maxBytes)
    throw new GraphError(131053, {
      details: `File of ${file.size} bytes is larger than the ${kind.maxBytes} that ${mimeType} may have.`,
    })
  const bytes = Buffer.from(await file.arrayBuffer())
  const { id } = world.media.add('uploaded', { bytes, mimeType, fileName: file.name }, world.clock.now())
  return { id }
}

const mediaNode = async (world: World, { method }: Call, id: string): Promise<unknown> => {
  checkPermission(world, 'messaging')
  await beFaulty(world, { operation: method === 'DELETE' ? 'media_delete' : 'media_info' })
  const nowMs = world.clock.now()
  const file = world.media.find(id, nowMs)
  if (!file) throw doesNotExist(id, method)
  if (method === 'DELETE') {
    world.media.remove(id)
    return { success: true }
  }
  return {
    messaging_product: 'whatsapp',
    url: world.media.urlOf(world.baseUrl(), id, nowMs),
    mime_type: file.mimeType,
    sha256: file.sha256.toString('hex'),
    file_size: file.bytes.length,
    id,
  }
}

/** A file's download URL: valid for five minutes, requires the token, and redirects once if that is enabled. */
const download = async (world: World, call: Call, reply: FastifyReply): Promise<FastifyReply> => {
  checkToken(world, { ...call, query: new URLSearchParams() })
  await beFaulty(world, { operation: 'media_download' })
  const nowMs = world.clock.now()
  const file = world.media.find(call.query.get('mid') ?? '', nowMs)
  const isGone = world.faults.take(['not-found'], { operation: 'media_download' }) !== undefined
  if (!file || isGone || !world.media.isUrlValid(call.query, nowMs)) return reply.code(404).send()
  if (world.settings.mediaRedirects && !call.path.includes('/redirected'))
    return reply.redirect(`/whatsapp_business/redirected/?${call.query}`)
  return reply.type(file.mimeType).send(file.bytes)
}
