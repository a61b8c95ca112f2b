// The provider's endpoints, as OpenID Connect Core and RFC 6749, 7636 and 9207 describe them.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Json, parametersOf, Refusal, Unanswered } from '../http.ts'
import { type Endpoint, TOKEN_KINDS } from './faults.ts'
import { emailOf, idToken, publishedKeys } from './id-token.ts'
import { choicePage, errorPage, PAGE_HEADERS } from './page.ts'
import type { Authorization, OidcState } from './state.ts'

const CODE_VALID_MS = 60_000
const TOKEN_VALID_SECONDS = 300
const WAITING_MAX = 1_000
const HUGE_BYTES = 8 * 1_024 * 1_024

const random = (): string => randomBytes(24).toString('base64url')
const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** Keeps the latest. */
const keep = <T>(map: Map<string, T>, key: string, value: T): void => {
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > WAITING_MAX && oldest !== undefined) map.delete(oldest)
}

/** Sends JSON, or what a fault makes of it. */
const send = async (state: OidcState, endpoint: Endpoint, reply: FastifyReply, body: Json) => {
  const fault = state.faults.takeFor(endpoint)
  reply.header('cache-control', 'no-store')
  switch (fault?.kind) {
    case 'hang':
    case 'drop':
      throw new Unanswered(fault.kind)
    case 'server-error':
      return reply.code(503).send({ error: 'temporarily_unavailable' })
    case 'redirect':
      return reply.redirect(fault.url ?? state.issuer(), 302)
    case 'huge':
      return reply.send({ ...body, padding: 'x'.repeat(HUGE_BYTES) })
    case 'html':
      return reply.type('text/html; charset=utf-8').send('<h1>Welcome</h1>')
    case 'slow':
      await wait(fault.delayMs ?? 0)
  }
  return reply.send(body)
}

export const discovery = (state: OidcState, reply: FastifyReply) => {
  const issuer = state.issuer()
  const wrong = state.faults.takeOf('other-issuer', 'other-keys')
  return send(state, 'discovery', reply, {
    issuer: wrong?.kind === 'other-issuer' ? 'https://login.example.net' : issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: wrong?.kind === 'other-keys' ? wrong.url : `${issuer}/jwks`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    code_challenge_methods_supported: ['S256'],
    scopes_supported: ['openid', 'email'],
    claims_supported: ['iss', 'sub', 'aud', 'exp', 'iat', 'nonce', 'name', 'email', 'email_verified'],
    authorization_response_iss_parameter_supported: true,
  })
}

export const jwks = async (state: OidcState, reply: FastifyReply) =>
  send(state, 'jwks', reply, { keys: await publishedKeys(state) })

const showPage = (reply: FastifyReply, html: string, status = 200) =>
  reply.code(status).headers(PAGE_HEADERS).send(html)

/** The page on which a person is chosen. Without a client and an address of its own, errors stay here. */
export const authorize = async (state: OidcState, request: FastifyRequest, reply: FastifyReply) => {
  const { options, waiting } = state
  const given = await parametersOf(request)
  const redirectUri = textOf(given.redirect_uri)
  if (given.client_id !== options.clientId) return showPage(reply, errorPage('Unknown client_id.'), 400)
  const registered =
    options.redirectUri === null ? null : [options.redirectUri, ...(options.otherRedirectUris ?? [])]
  if (!redirectUri || !URL.canParse(redirectUri) || registered?.includes(redirectUri) === false)
    return showPage(reply, errorPage('This redirect_uri is not registered.'), 400)
  const asked: Authorization = {
    redirectUri,
    scope: textOf(given.scope) ?? '',
    state: textOf(given.state),
    nonce: textOf(given.nonce),
    challenge: textOf(given.code_challenge),
    isOffline:
      given.access_type === 'offline' || (textOf(given.scope) ?? '').split(' ').includes('offline_access'),
  }
  if (given.response_type !== 'code') return back(state, reply, asked, { error: 'unsupported_response_type' })
  if (!asked.scope.split(' ').includes('openid')) return back(state, reply, asked, { error: 'invalid_scope' })
  if (asked.challenge !== null && given.code_challenge_method !== 'S256')
    return back(state, reply, asked, { error: 'invalid_request' })
  const id = random()
  keep(waiting, id, asked)
  return showPage(reply, choicePage({ request: id, people: state.people() }))
}

/** Back to whoever asked, with a code or an error. */
const back = (state: OidcState, reply: FastifyReply, asked: Authorization, given: Record<string, string>) => {
  const to = new URL(asked.redirectUri)
  const wrong = state.faults.takeOf('wrong-state', 'wrong-iss')
  for (const [name, value] of Object.entries(given)) to.searchParams.set(name, value)
  if (asked.state !== null)
    to.searchParams.set('state', wrong?.kind === 'wrong-state' ? random() : asked.state)
  to.searchParams.set('iss', wrong?.kind === 'wrong-iss' ? 'https://login.example.net' : state.issuer())
  return reply.redirect(to.href, 303)
}

export const decide = async (state: OidcState, request: FastifyRequest, reply: FastifyReply) => {
  const given = await parametersOf(request)
  const id = textOf(given.request) ?? ''
  const asked = state.waiting.get(id)
  if (!asked) return showPage(reply, errorPage('This sign-in was used or has expired. Start again.'), 400)
  const personId = textOf(given.person)
  state.waiting.delete(id)
  const fault = state.faults.takeOf('error')
  if (fault) return back(state, reply, asked, { error: fault.error ?? 'server_error' })
  if (personId === null) return back(state, reply, asked, { error: 'access_denied' })
  state.accountOf(personId)
  const code = random()
  keep(state.codes, code, { ...asked, personId, untilMs: Date.now() + CODE_VALID_MS })
  return back(state, reply, asked, { code })
}

const refuse = (error: string, http = 400): Refusal =>
  new Refusal(error, {
    http,
    body: { error },
    headers: http === 401 ? { 'www-authenticate': 'Basic realm="sandbox"' } : {},
  })

const isSame = (given: string, right: string): boolean => {
  const [a, b] = [Buffer.from(given), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** By HTTP Basic, or in the body. */
const checkClient = ({ options }: OidcState, { headers }: FastifyRequest, body: Json): void => {
  const basic = /^Basic (.+)$/i.exec(headers.authorization ?? '')?.[1]
  const [id = '', secret = ''] =
    basic === undefined
      ? [String(body.client_id), String(body.client_secret)]
      : Buffer.from(basic, 'base64')
          .toString()
          .split(':')
          .map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
  if (id !== options.clientId || !isSame(secret, options.clientSecret)) throw refuse('invalid_client', 401)
}

export const token = async (state: OidcState, request: FastifyRequest, reply: FastifyReply) => {
  const given = await parametersOf(request)
  checkClient(state, request, given)
  if (given.grant_type === 'refresh_token') return refresh(state, given, reply)
  if (given.grant_type !== 'authorization_code') throw refuse('unsupported_grant_type')
  const code = textOf(given.code) ?? ''
  const asked = state.codes.get(code)
  state.codes.delete(code)
  if (!asked || Date.now() > asked.untilMs || given.redirect_uri !== asked.redirectUri)
    throw refuse('invalid_grant')
  const verifier = textOf(given.code_verifier)
  const challenge = verifier && createHash('sha256').update(verifier).digest('base64url')
  if (challenge !== asked.challenge) throw refuse('invalid_grant')
  const account = state.accountOf(asked.personId)
  const fault = state.faults.takeOf(...TOKEN_KINDS, 'clock')
  const accessToken = random()
  keep(state.tokens, accessToken, asked.personId)
  const refreshToken = random()
  if (asked.isOffline) keep(state.refreshTokens, refreshToken, asked.personId)
  return send(state, 'token', reply, {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: TOKEN_VALID_SECONDS,
    scope: asked.scope,
    ...(asked.isOffline && { refresh_token: refreshToken }),
    ...(fault?.kind !== 'no-id-token' && { id_token: await idToken(state, asked, account, fault) }),
  })
}

/** Access for somebody who isn't there. */
const refresh = (state: OidcState, given: Json, reply: FastifyReply) => {
  const personId = state.refreshTokens.get(textOf(given.refresh_token) ?? '')
  if (personId === undefined) throw refuse('invalid_grant')
  const accessToken = random()
  keep(state.tokens, accessToken, personId)
  return send(state, 'token', reply, {
    ...{ access_token: accessToken, token_type: 'Bearer', expires_in: TOKEN_VALID_SECONDS },
  })
}

export const userinfo = async (state: OidcState, request: FastifyRequest, reply: FastifyReply) => {
  const personId = state.tokens.get(/^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '')
  if (personId === undefined) throw refuse('invalid_token', 401)
  const account = state.accountOf(personId)
  const subject = state.faults.takeOf('other-subject') ? 'another' : account.subject
  return send(state, 'userinfo', reply, { sub: subject, name: account.name, ...emailOf(account) })
}
