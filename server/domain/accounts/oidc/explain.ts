// What a failed exchange with the identity provider means for the person, and what the operator reads in the log. The
// library's errors carry tokens and claims as their causes, so only their messages are kept.
import type { GuardedFetch } from '../../../../channels/channel.ts'
import { OidcError } from './oidc-error.ts'
import type { OidcProblem } from './schema.ts'

/** What an authorization response says if the provider, not the person or its configuration, is why. */
const UNAVAILABLE = new Set(['server_error', 'temporarily_unavailable'])
const NOT_REACHED = new Set(['TIMEOUT', 'CONNECTION_FAILED', 'CONNECTION_LOST'])
const SERVER_ERROR_FROM = 500
const REASON_MAX = 300

export const explain = (error: unknown, guarded: GuardedFetch): Error => {
  if (error instanceof OidcError) return error
  const seen = guarded.problem()
  if (seen) return new OidcError(NOT_REACHED.has(seen.code) ? 'unavailable' : 'invalid', seen.message)
  const status = guarded.status()
  if (status !== null && status >= SERVER_ERROR_FROM)
    return new OidcError('unavailable', `the provider responded with status ${status}`)
  if (!(error instanceof Error)) return new OidcError('invalid', 'unknown')
  return new OidcError(problemOf(error), reasonOf(error))
}

/** The code of OAuth that the provider answered with, by the library's error. */
const codeOf = (error: Error): string | undefined =>
  'error' in error && typeof error.error === 'string' ? error.error : undefined

const problemOf = (error: Error): OidcProblem => {
  const code = codeOf(error)
  if (code === undefined) return 'invalid'
  if (error.name === 'AuthorizationResponseError')
    return code === 'access_denied' ? 'denied' : UNAVAILABLE.has(code) ? 'unavailable' : 'invalid'
  // The code was used before, or is too old.
  return code === 'invalid_grant' ? 'expired' : 'invalid'
}

const reasonOf = (error: Error): string => {
  const { cause } = error
  const description =
    'error_description' in error && typeof error.error_description === 'string' ? error.error_description : ''
  return [error.message, cause instanceof Error ? cause.message : '', codeOf(error), description]
    .filter(Boolean)
    .join(': ')
    .slice(0, REASON_MAX)
}
