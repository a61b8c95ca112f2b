// The errors of both providers, each in its own form.
// https://platform.openai.com/docs/guides/error-codes, https://docs.anthropic.com/en/api/errors
import { Refusal } from '../http.ts'
import type { Wire } from './exchange.ts'

type ErrorForm = {
  http: number
  /** OpenAI's type and code. */
  type: string
  code: string | null
  /** Anthropic's type. */
  name: string
  message: string
}

export const ERRORS = {
  key: error(
    401,
    'invalid_request_error',
    'invalid_api_key',
    'authentication_error',
    'Incorrect API key provided.',
  ),
  forbidden: error(
    403,
    'invalid_request_error',
    null,
    'permission_error',
    'Your API key may not use this resource.',
  ),
  'no-model': error(
    404,
    'invalid_request_error',
    'model_not_found',
    'not_found_error',
    'The model does not exist or you do not have access to it.',
  ),
  'too-long': error(
    400,
    'invalid_request_error',
    'context_length_exceeded',
    'invalid_request_error',
    'prompt is too long: your messages exceed the maximum context length of the model.',
  ),
  'too-large': error(
    413,
    'invalid_request_error',
    null,
    'request_too_large',
    'Request exceeds the maximum size.',
  ),
  'rate-limit': error(
    429,
    'requests',
    'rate_limit_exceeded',
    'rate_limit_error',
    'Rate limit reached. Please try again later.',
  ),
  'no-funds': error(
    429,
    'insufficient_quota',
    'insufficient_quota',
    'billing_error',
    'You exceeded your current quota; your credit balance is too low.',
  ),
  filtered: error(
    400,
    'invalid_request_error',
    'content_filter',
    'invalid_request_error',
    'The request was rejected by the content filter.',
  ),
  server: error(
    500,
    'server_error',
    null,
    'api_error',
    'The server had an error while processing your request.',
  ),
  unavailable: error(
    503,
    'server_error',
    null,
    'api_error',
    'The engine is currently overloaded, please try again later.',
  ),
  overloaded: error(529, 'server_error', null, 'overloaded_error', 'Overloaded'),
} satisfies Record<string, ErrorForm>
export type ErrorName = keyof typeof ERRORS

function error(http: number, type: string, code: string | null, name: string, message: string): ErrorForm {
  return { http, type, code, name, message }
}

type Options = { message?: string; parameter?: string | null; retryAfterSeconds?: number }

export const refuse = (
  wire: Wire,
  name: ErrorName,
  { message, parameter = null, retryAfterSeconds }: Options = {},
) =>
  refusalOf(
    wire,
    { ...ERRORS[name], ...(message !== undefined && { message }) },
    parameter,
    retryAfterSeconds,
  )

/** A request that the provider can't read. */
export const isBad = (
  wire: Wire,
  message: string,
  parameter: string | null = null,
  code: string | null = null,
) => refusalOf(wire, error(400, 'invalid_request_error', code, 'invalid_request_error', message), parameter)

const refusalOf = (
  wire: Wire,
  { http, type, code, name, message }: ErrorForm,
  parameter: string | null,
  retryAfterSeconds?: number,
): Refusal =>
  new Refusal(message, {
    http,
    headers: retryAfterSeconds === undefined ? {} : { 'retry-after': retryAfterSeconds },
    body:
      wire === 'messages'
        ? { type: 'error', error: { type: name, message }, request_id: 'req_sandbox' }
        : { error: { message, type, param: parameter, code } },
  })
