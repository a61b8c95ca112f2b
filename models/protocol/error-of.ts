// What a provider's error means. Protocols share the HTTP statuses and differ in names; compatible servers mostly have
// the statuses and a sentence.
// https://platform.openai.com/docs/guides/error-codes, https://docs.anthropic.com/en/api/errors
import type { IncomingHttpHeaders } from 'node:http'
import { isObject, type JsonObject, lineOf, listOf, objectOf } from '../../channels/protocol/read-json.ts'
import { retryAfterMsOf } from '../../channels/protocol/retry-after.ts'
import { ModelError, type ModelProblem } from '../contract.ts'

const RETRY_AFTER_MAX_MS = 86_400_000
const CODE_MAX = 60
const SAID_MAX = 300

const MESSAGES: Record<ModelProblem, string> = {
  temporary: 'The model’s server is temporarily unavailable.',
  tooMany: 'The provider’s rate limit is reached.',
  noFunds: 'The provider’s account has no credit left, or its spending limit is reached.',
  filtered: 'The provider’s content filter rejected the request or the answer.',
  badKey: 'The provider rejected the API key. Enter a valid one in the settings.',
  noModel: 'The provider doesn’t know this model, or the API key may not use it.',
  tooLong: 'The request is longer than the model can read.',
  badAnswer: 'The model’s answer can’t be used.',
  badRequest: 'The server doesn’t accept the request. Run the check in the settings.',
  badAddress: 'There is no such API at this address. Check the base URL.',
  cancelled: 'The request was canceled.',
  unknown: 'The request failed for an unknown reason.',
}

/** Names that providers give. */
const NAMED: Record<string, ModelProblem> = {
  invalid_api_key: 'badKey',
  authentication_error: 'badKey',
  permission_error: 'badKey',
  insufficient_quota: 'noFunds',
  billing_error: 'noFunds',
  billing_hard_limit_reached: 'noFunds',
  rate_limit_exceeded: 'tooMany',
  rate_limit_error: 'tooMany',
  model_not_found: 'noModel',
  context_length_exceeded: 'tooLong',
  request_too_large: 'tooLong',
  content_filter: 'filtered',
  content_policy_violation: 'filtered',
  overloaded_error: 'temporary',
  api_error: 'temporary',
  server_error: 'temporary',
  timeout_error: 'temporary',
}

/** Sentences of those that give no name. */
const TOO_LONG =
  /context.?(length|window|size)|prompt is too long|input is too long|too many (input )?tokens/i
const FILTERED = /content.?filter|content management policy/i
const NO_FUNDS = /credit balance|insufficient (balance|funds|credits)/i
const NO_MODEL = /\bmodel\b/i

export type ProviderError = {
  problem: ModelProblem
  providerCode: string | null
  said: Said | null
}

/** The provider's sentence, for whoever runs the check. It may quote the request. `parameter`: what it is about. */
export type Said = { text: string; parameter: string | null }

export const modelError = (
  problem: ModelProblem,
  options: ConstructorParameters<typeof ModelError>[2] & { message?: string } = {},
): ModelError => new ModelError(problem, options.message ?? MESSAGES[problem], options)

/** `body`: the response as JSON, or anything else. */
export const providerErrorOf = (status: number, body: unknown): ProviderError => {
  const error = errorIn(body)
  const names = [error.code, error.type].filter((one) => typeof one === 'string')
  const text = lineOf(error.message, SAID_MAX)
  const providerCode = names.find((name) => /^[\w.-]+$/.test(name))?.slice(0, CODE_MAX) ?? null
  const named = names.map((name) => (Object.hasOwn(NAMED, name) ? NAMED[name]! : null)).find(Boolean)
  const parameter = typeof error.param === 'string' ? error.param : null
  return {
    problem: named ?? problemOf(status, text ?? '', isObject(body)),
    providerCode,
    said: text === null ? null : { text, parameter },
  }
}

/** `{error: {…}}` of both, `{error: "…"}`, `{message, …}` and `{detail: [{loc, msg}]}` of compatible servers. */
const errorIn = (body: unknown): JsonObject => {
  const whole = objectOf(body)
  const detail = objectOf(listOf(whole.detail)[0])
  if (detail.msg !== undefined) return { message: detail.msg, param: listOf(detail.loc).at(-1) }
  if (typeof whole.error === 'string') return { ...whole, message: whole.error }
  return isObject(whole.error) ? whole.error : whole
}

const problemOf = (status: number, said: string, isJson: boolean): ModelProblem => {
  if (status === 401 || status === 403) return 'badKey'
  if (status === 402) return 'noFunds'
  if (status === 404) return isJson && NO_MODEL.test(said) ? 'noModel' : 'badAddress'
  if (status === 408 || status === 409 || status === 425 || status >= 500) return 'temporary'
  if (status === 413) return 'tooLong'
  if (status === 429) return NO_FUNDS.test(said) ? 'noFunds' : 'tooMany'
  if (status >= 400) return refusalOf(said)
  // Redirects aren't followed.
  return status >= 300 ? 'badAddress' : 'unknown'
}

const refusalOf = (said: string): ModelProblem => {
  if (NO_FUNDS.test(said)) return 'noFunds'
  if (TOO_LONG.test(said)) return 'tooLong'
  return FILTERED.test(said) ? 'filtered' : 'badRequest'
}

/** How long to wait; null if the provider doesn't say. */
export const waitMsOf = (headers: Readonly<IncomingHttpHeaders>): number | null => {
  const precise = Number(headers['retry-after-ms'] ?? Number.NaN)
  const ms = precise >= 0 ? Math.ceil(precise) : retryAfterMsOf(headers)
  return ms === undefined || ms < 0 ? null : Math.min(ms, RETRY_AFTER_MAX_MS)
}
