// The Graph API's routes: who asks, for which node, and what goes wrong on demand on the way.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { answerJson, readBody } from '../http.ts'
import { MEDIA_KINDS } from '../media.ts'
import type { Fault } from './faults.ts'
import { bodyOf, GraphError, httpOf, isInvalid, isMissing } from './graph-error.ts'
import { acceptMessage, checkMessage, markRead, recipientsOf } from './send-message.ts'
import { listTemplates, pageOf, pagingOf } from './templates.ts'
import type { BusinessAccount, BusinessNumber, World } from './world.ts'

type Json = Record<string, unknown>

const JSON_MAX_BYTES = 1_000_000
const MEDIA_MAX_BYTES = 110 * 1024 * 1024
const VERSIONS = { oldest: 21, newest: 26 }
/** How long an answer waits at most for the webhook that is to come first. */
const STATUS_FIRST_MAX_MS = 5000

/** Says that the answer was deliberately not given. */
class Unanswered extends Error {}

export const answerGraph = async (
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  try {
    const { status = 200, body } = await route(world, request, response)
    if (body !== undefined) answerJson(response, status, body, { 'facebook-api-version': 'v25.0' })
  } catch (error) {
    if (error instanceof Unanswered) return
    if (!(error instanceof GraphError)) throw error
    world.sent.countRefusal(error.code)
    world.feed.tell('refused', () => ({
      code: error.code,
      message: error.message,
      details: error.extra.details,
    }))
    answerJson(response, httpOf(error), bodyOf(error), {
      ...(error.code === 190 && {
        'www-authenticate': `OAuth "Facebook Platform" "invalid_token" "${error.message}"`,
      }),
      ...(error.extra.retryAfterSeconds !== undefined && { 'retry-after': error.extra.retryAfterSeconds }),
    })
  }
}

type Answer = { status?: number; body?: unknown }

const route = async (world: World, request: IncomingMessage, response: ServerResponse): Promise<Answer> => {
  const [path = '', search] = request.url!.split('?', 2)
  const query = new URLSearchParams(search)
  if (path.startsWith('/whatsapp_business/')) return download(world, request, response, path, query)

  const parts = path.split('/').filter(Boolean)
  const version = /^v(\d+)\.0$/.exec(parts[0] ?? '')
  if (!version || Number(version[1]) > VERSIONS.newest || parts.length > 3 || !parts[1])
    throw new GraphError(2500, { message: `Unknown path components: ${path}` })
  if (Number(version[1]) < VERSIONS.oldest)
    throw new GraphError(2635, {
      http: 400,
      message: `(#2635) You are calling a deprecated version of the API. Please update to the latest version: v${VERSIONS.newest}.0`,
    })
  checkToken(world, request, query)

  const [, nodeId, edge] = parts
  const method = request.method ?? 'GET'
  const number = world.numbers.get(nodeId)
  const account = world.accounts.get(nodeId)
  const call = `${method} ${edge ?? ''}`

  if (number && call === 'POST messages') return messages(world, request, response, number)
  if (number && call === 'POST media') return upload(world, request, response, number)
  if (number && call === 'GET ') return { body: numberRow(world, number, query) }
  if (account && edge) return accountEdge(world, request, response, { account, call, query, path })
  if (account && call === 'GET ') return { body: { id: account.id, name: account.name } }
  if (!edge && (method === 'GET' || method === 'DELETE')) return mediaNode(world, request, response, nodeId)
  throw doesNotExist(nodeId, method)
}

const doesNotExist = (id: string, method: string): GraphError =>
  new GraphError(100, {
    message: `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation. Please read the Graph API documentation at https://developers.facebook.com/docs/graph-api`,
    type: 'GraphMethodException',
    subcode: 33,
  })

const checkToken = ({ settings }: World, { headers }: IncomingMessage, query?: URLSearchParams): void => {
  const token =
    /^(?:Bearer|OAuth) (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? query?.get('access_token')
  if (!token) throw new GraphError(104)
  if (token !== settings.accessToken) throw new GraphError(190)
}

const checkPermission = ({ settings }: World, permission: keyof World['settings']['permissions']): void => {
  if (!settings.permissions[permission])
    throw new GraphError(10, {
      details: `The token lacks the permission whatsapp_business_${permission}.`,
    })
}

const messages = async (
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
  number: BusinessNumber,
): Promise<Answer> => {
  const raw = (await readBody(request, JSON_MAX_BYTES)).toString()
  const arrivedAt = performance.now()
  checkPermission(world, 'messaging')
  const message = parseObject(raw)
  if (message.messaging_product !== 'whatsapp') throw isMissing('messaging_product')
  const isRead = message.status === 'read'
  if (isRead) {
    await beFaulty(world, response, { operation: 'read', phoneNumberId: number.id })
    return { body: markRead(world, number, message) }
  }

  const checked = checkMessage(world, number, message, raw)
  const call = { operation: 'send', phoneNumberId: number.id, recipients: recipientsOf(checked) } as const
  const trouble = world.faults.take(['error', 'hang', 'drop', 'server-error', 'delay'], call)
  const isLost = trouble !== undefined && trouble.kind !== 'delay'
  if (isLost && !('isAccepted' in trouble && trouble.isAccepted)) return fail(response, trouble)

  const failing = world.faults.take(['fail'], call)
  const first = world.faults.take(['status-first'], call)
  const { answer, told } = acceptMessage(world, checked, {
    failsWith: failing && { code: failing.code, details: failing.details },
    skipsDelivered: world.faults.take(['skip-delivered'], call) !== undefined,
    isHeld: world.faults.take(['held'], call) !== undefined,
    sentNow: first !== undefined,
  })
  if (first) await Promise.race([told, delay(STATUS_FIRST_MAX_MS, undefined, { ref: false })])
  if (isLost) return fail(response, trouble)
  const waitMs =
    (trouble?.kind === 'delay' ? trouble.delayMs : 0) +
    world.settings.latencyMs -
    (performance.now() - arrivedAt)
  if (waitMs > 0) await delay(waitMs)
  return { body: answer }
}

const parseObject = (raw: string): Json => {
  try {
    const parsed = JSON.parse(raw)
    if (parsed && typeof parsed === 'object' && !Array.isArray(parsed)) return parsed
  } catch {}
  throw isInvalid('The request body is not a JSON object')
}

/** The trouble that any call can be in. */
const beFaulty = async (
  world: World,
  response: ServerResponse,
  call: Parameters<World['faults']['take']>[1],
): Promise<void> => {
  const fault = world.faults.take(['error', 'hang', 'drop', 'server-error', 'delay'], call)
  if (fault?.kind === 'delay') await delay(fault.delayMs)
  else if (fault) fail(response, fault)
}

const fail = (response: ServerResponse, fault: Fault): never => {
  if (fault.kind === 'error') {
    const { code, details, http, retryAfterSeconds } = fault
    throw new GraphError(code, { details, http, retryAfterSeconds })
  }
  if (fault.kind === 'drop') response.socket?.destroy()
  if (fault.kind === 'server-error') {
    const http = fault.http ?? 500
    if (fault.body === 'json') throw new GraphError(http === 503 ? 2 : 131000, { http })
    const page =
      '<!DOCTYPE html><html><head><title>Error</title></head><body>Sorry, something went wrong.</body></html>'
    response.writeHead(http, fault.body === 'html' ? { 'content-type': 'text/html; charset="utf-8"' } : {})
    response.end(fault.body === 'html' ? page : undefined)
  }
  // What hangs is never answered: the caller's own time limit ends it.
  throw new Unanswered()
}

type EdgeCall = { account: BusinessAccount; call: string; query: URLSearchParams; path: string }

const accountEdge = async (
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
  { account, call, query, path }: EdgeCall,
): Promise<Answer> => {
  checkPermission(world, 'management')
  if (call === 'GET message_templates') {
    await beFaulty(world, response, { operation: 'templates' })
    return { body: listTemplates(world, account, query, path) }
  }
  if (call === 'GET phone_numbers') {
    await beFaulty(world, response, { operation: 'phone_numbers' })
    const numbers = [...world.numbers.values()].filter((number) => number.businessAccountId === account.id)
    const page = pageOf(numbers, query, 100)
    return {
      body: {
        data: page.items.map((number) => numberRow(world, number, query)),
        ...pagingOf(page, query, world.baseUrl() + path),
      },
    }
  }
  if (call.endsWith(' subscribed_apps')) {
    await beFaulty(world, response, { operation: 'subscribe' })
    return { body: await subscription(world, request, account) }
  }
  throw doesNotExist(account.id, request.method ?? 'GET')
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

const subscription = async (world: World, request: IncomingMessage, account: BusinessAccount) => {
  if (request.method === 'DELETE') {
    account.isSubscribed = false
    account.webhookUrl = null
    return { success: true }
  }
  if (request.method === 'GET')
    return {
      data: account.isSubscribed
        ? [
            {
              whatsapp_business_api_data: {
                id: '670843887433847',
                name: 'Sandbox',
                link: 'https://www.facebook.com/',
              },
              ...(account.webhookUrl && { override_callback_uri: account.webhookUrl }),
            },
          ]
        : [],
    }
  const raw = (await readBody(request, JSON_MAX_BYTES)).toString()
  const { override_callback_uri: url, verify_token } = raw.length > 0 ? parseObject(raw) : ({} as Json)
  if (url !== undefined) {
    if (typeof url !== 'string' || !URL.canParse(url))
      throw isInvalid('override_callback_uri is not a valid URL')
    const isShaken = verify_token === world.settings.verifyToken && (await world.webhooks.shakeHands(url))
    if (!isShaken)
      throw new GraphError(100, {
        message: '(#100) Callback verification failed: the address did not answer the challenge',
        subcode: 2200,
      })
    account.webhookUrl = url
  }
  account.isSubscribed = true
  return { success: true }
}

const upload = async (
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
  number: BusinessNumber,
): Promise<Answer> => {
  checkPermission(world, 'messaging')
  const raw = await readBody(request, MEDIA_MAX_BYTES)
  await beFaulty(world, response, { operation: 'media_upload', phoneNumberId: number.id })
  const contentType = request.headers['content-type'] ?? ''
  const form = await new Response(new Uint8Array(raw), { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => undefined)
  if (form?.get('messaging_product') !== 'whatsapp') throw isMissing('messaging_product')
  const file = form.get('file')
  if (!file || typeof file === 'string') throw isMissing('file')
  const mimeType = (file.type || String(form.get('type') ?? '')).split(';')[0]!.trim()
  const kind = Object.values(MEDIA_KINDS).find(({ mimeTypes }) => mimeTypes.test(mimeType))
  if (!kind)
    throw new GraphError(100, {
      message: `(#100) Param file must be a file with one of the following types: audio/aac, audio/mp4, audio/mpeg, audio/amr, audio/ogg, application/pdf, text/plain, image/jpeg, image/png, image/webp, video/mp4, video/3gpp. Received file of type '${mimeType}'.`,
    })
  if (file.size > kind.maxBytes)
    throw new GraphError(131053, {
      details: `File of ${file.size} bytes is larger than the ${kind.maxBytes} that ${mimeType} may have.`,
    })
  const bytes = Buffer.from(await file.arrayBuffer())
  const { id } = world.media.add('uploaded', { bytes, mimeType, fileName: file.name }, world.clock.now())
  return { body: { id } }
}

const mediaNode = async (
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
): Promise<Answer> => {
  checkPermission(world, 'messaging')
  const method = request.method ?? 'GET'
  await beFaulty(world, response, { operation: method === 'DELETE' ? 'media_delete' : 'media_info' })
  const nowMs = world.clock.now()
  const file = world.media.find(id, nowMs)
  if (!file) throw doesNotExist(id, method)
  if (method === 'DELETE') {
    world.media.remove(id)
    return { body: { success: true } }
  }
  return {
    body: {
      messaging_product: 'whatsapp',
      url: world.media.urlOf(world.baseUrl(), id, nowMs),
      mime_type: file.mimeType,
      sha256: file.sha256.toString('hex'),
      file_size: file.bytes.length,
      id,
    },
  }
}

/** The address of a file: for five minutes, with the token, and once more by redirection when that is on. */
const download = async (
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: URLSearchParams,
): Promise<Answer> => {
  checkToken(world, request)
  await beFaulty(world, response, { operation: 'media_download' })
  const nowMs = world.clock.now()
  const file = world.media.find(query.get('mid') ?? '', nowMs)
  const isGone = world.faults.take(['not-found'], { operation: 'media_download' }) !== undefined
  if (!file || isGone || !world.media.isUrlValid(query, nowMs)) {
    response.writeHead(404).end()
    return {}
  }
  if (world.settings.mediaRedirects && !path.includes('/redirected')) {
    response.writeHead(302, { location: `/whatsapp_business/redirected/?${query}` }).end()
    return {}
  }
  response.writeHead(200, { 'content-type': file.mimeType, 'content-length': file.bytes.length })
  response.end(file.bytes)
  return {}
}
