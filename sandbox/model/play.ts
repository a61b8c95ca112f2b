// One request to one of the models: read it, have a model answer, and spoil that as asked.
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Json, objectOf, Unanswered } from '../http.ts'
import { brainOf } from './brains/brains.ts'
import { readChat, showChat } from './chat.ts'
import {
  type Answer,
  cutAtLimit,
  type Heard,
  tokensIn,
  tokensOut,
  type Usage,
  type Wire,
} from './exchange.ts'
import { ERROR_KINDS, type ModelFault } from './faults.ts'
import { checkKey } from './key.ts'
import { readMessages, showMessage } from './messages.ts'
import { isModel, MODELS } from './names.ts'
import { ERRORS, type ErrorName, isBad, refuse } from './refuse.ts'
import { readResponses, showResponse } from './responses.ts'
import { sendBody, spoilAnswer } from './spoil.ts'
import { keepCall, type ModelState } from './state.ts'

const CONTEXT_MAX_TOKENS = 200_000
const BODY_MAX_BYTES = 32 * 1024 * 1024

const READERS: Record<Wire, (body: Json) => Heard> = {
  chat: readChat,
  responses: readResponses,
  messages: readMessages,
}
const SHOWERS: Record<Wire, (answer: Answer, heard: Heard, usage: Usage, id: string) => Json> = {
  chat: showChat,
  responses: showResponse,
  messages: showMessage,
}

export const play = async (
  state: ModelState,
  wire: Wire,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const id = String(++state.count).padStart(6, '0')
  reply.headers(headersOf(wire, id))
  checkKey(state, wire, request)
  const body = parse(wire, request.body)
  const fault = state.faults.takeFor(wire, body)
  if (fault) await fail(wire, fault)
  const heard = READERS[wire](body)
  const { model } = heard
  if (!isModel(model))
    throw refuse(wire, 'no-model', {
      message: `The model \`${model}\` does not exist or you do not have access to it.`,
    })
  const input = tokensIn(heard)
  if (input > CONTEXT_MAX_TOKENS) throw refuse(wire, 'too-long')
  const brain = state.brain ?? model
  const signal = goneSignal(reply)
  const spoilt = spoilAnswer(heard, await brainOf(brain)(heard, state, { wire, signal }), fault?.kind)
  const answer = cutAtLimit(spoilt, heard.tokensMax)
  const atMs = Date.now()
  keepCall(state, { wire, model, brain, atMs, body, heard, answer, fault: fault?.kind ?? null })
  const shown = SHOWERS[wire](answer, heard, { input, output: tokensOut(answer) }, id)
  return sendBody(reply, wire, shown, { kind: fault?.kind, key: keyIn(request) })
}

const goneSignal = ({ raw }: FastifyReply): AbortSignal => {
  const gone = new AbortController()
  raw.once('close', () => gone.abort())
  return gone.signal
}

export const keyIn = ({ headers }: FastifyRequest): string =>
  String(headers['x-api-key'] ?? headers.authorization ?? '').replace(/^Bearer /, '')

const headersOf = (wire: Wire, id: string): Record<string, string> =>
  wire === 'messages'
    ? {
        'request-id': `req_${id}`,
        'anthropic-ratelimit-requests-limit': '1000',
        'anthropic-ratelimit-requests-remaining': '999',
      }
    : {
        'x-request-id': `req_${id}`,
        'openai-version': '2020-10-01',
        'x-ratelimit-limit-requests': '1000',
        'x-ratelimit-remaining-requests': '999',
        'x-ratelimit-reset-requests': '60ms',
      }

export const parse = (wire: Wire, body: unknown): Json => {
  if (Buffer.isBuffer(body) && body.length > BODY_MAX_BYTES) throw refuse(wire, 'too-large')
  try {
    return objectOf(JSON.parse(String(body)))
  } catch {
    throw isBad(wire, 'We could not parse the JSON body of your request.')
  }
}

const isError = (kind: string): kind is ErrorName => ERROR_KINDS.some((one) => one === kind)

/** Those that come before the model. */
export const fail = async (
  wire: Wire,
  { kind, retryAfterSeconds, delayMs = 1_000, parameter = '' }: ModelFault,
): Promise<void> => {
  if (kind === 'hang' || kind === 'drop') throw new Unanswered(kind)
  if (kind === 'slow') await wait(delayMs)
  if (kind === 'refuse-parameter')
    throw isBad(
      wire,
      wire === 'messages'
        ? `\`${parameter}\` is not supported by this model.`
        : `Unsupported parameter: '${parameter}' is not supported with this model.`,
      parameter,
      'unsupported_parameter',
    )
  if (kind === 'refuse-pictures') throw isBad(wire, 'This model does not support image input.')
  if (isError(kind) && ERRORS[kind])
    throw refuse(wire, kind, retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
}

/** As the provider lists them whose headers are there. */
export const listModels = (state: ModelState, request: FastifyRequest): Json => {
  const wire = request.headers['anthropic-version'] === undefined ? 'chat' : 'messages'
  checkKey(state, wire, request)
  if (wire === 'chat')
    return {
      object: 'list',
      data: MODELS.map((id) => ({ id, object: 'model', created: 1_764_000_000, owned_by: 'sandbox' })),
    }
  return {
    data: MODELS.map((id) => ({ type: 'model', id, display_name: id, created_at: '2026-11-23T00:00:00Z' })),
    has_more: false,
    first_id: MODELS[0],
    last_id: MODELS.at(-1),
  }
}
