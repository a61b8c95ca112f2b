// POST /v1/embeddings: hashed character trigrams, so that near texts have near vectors.
import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { parametersOf } from '../http.ts'
import { countTokens } from './exchange.ts'
import { checkKey } from './key.ts'
import { fail, keyIn, parse } from './play.ts'
import { isBad } from './refuse.ts'
import { sendBody } from './spoil.ts'
import type { ModelState } from './state.ts'

const DIMENSIONS = 256
const INPUTS_MAX = 2_048

export const embed = async (
  state: ModelState,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  checkKey(state, 'chat', request)
  const fault = state.faults.takeFor('embeddings', parse('chat', request.body))
  if (fault) await fail('chat', fault)
  const { model, input, encoding_format: format = 'float' } = await parametersOf(request)
  const texts = [input].flat()
  if (
    texts.length === 0 ||
    texts.length > INPUTS_MAX ||
    !texts.every((text) => typeof text === 'string' && text !== '')
  )
    throw isBad('chat', "'$.input' is invalid. Please check the API reference.", 'input')
  const vectors = (texts as string[]).map(vectorOf)
  reply.header('x-request-id', `req_${++state.count}`)
  const tokens = (texts as string[]).reduce((sum, text) => sum + countTokens(text), 0)
  const shown = {
    object: 'list',
    model,
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding:
        format === 'base64' ? Buffer.from(Float32Array.from(vector).buffer).toString('base64') : vector,
    })),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
  return sendBody(reply, 'chat', shown, { kind: fault?.kind, key: keyIn(request) })
}

const vectorOf = (text: string): number[] => {
  const vector = new Array<number>(DIMENSIONS).fill(0)
  const padded = ` ${text.toLowerCase().normalize('NFKC')} `
  for (let at = 0; at + 3 <= padded.length; at++) {
    const hash = createHash('md5')
      .update(padded.slice(at, at + 3))
      .digest()
    vector[hash[0]!]! += hash[1]! % 2 === 0 ? 1 : -1
  }
  const length = Math.hypot(...vector) || 1
  return vector.map((value) => value / length)
}
