// What a provider can get wrong, on demand.
import Type, { type Static } from 'typebox'
import { makeRules, type Rule } from '../rules.ts'
import { absent, closed } from '../shapes.ts'

export const ENDPOINTS = ['discovery', 'jwks', 'token', 'userinfo'] as const
export type Endpoint = (typeof ENDPOINTS)[number]

/** What becomes of the response of an endpoint. */
export const RESPONSE_KINDS = ['hang', 'drop', 'slow', 'server-error', 'redirect', 'huge', 'html'] as const
/** What is wrong with the ID token. */
export const TOKEN_KINDS = [
  'wrong-key',
  'alg-none',
  'alg-secret',
  'expired',
  'wrong-audience',
  'wrong-issuer',
  'wrong-nonce',
  'no-nonce',
  'no-id-token',
  'odd-subject',
] as const
/** What is wrong with what the browser brings back, or with what discovery or userinfo say. */
const OTHER_KINDS = [
  'wrong-state',
  'wrong-iss',
  'other-issuer',
  'other-keys',
  'other-subject',
  'clock',
  'error',
] as const

export const OidcFaultInput = closed({
  kind: Type.Enum([...RESPONSE_KINDS, ...TOKEN_KINDS, ...OTHER_KINDS]),
  /** With what becomes of a response. */
  at: Type.Optional(Type.Enum([...ENDPOINTS])),
  /** With slow. */
  delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000 })),
  /** With redirect and other-keys. */
  url: Type.Optional(Type.String({ maxLength: 2_000 })),
  /** With clock: how far ahead the provider's is. */
  seconds: Type.Optional(Type.Integer({ minimum: -86_400, maximum: 86_400 })),
  /** With error: what the browser brings back instead of a code. */
  error: Type.Optional(Type.String({ maxLength: 100 })),
  times: absent(Type.Integer({ minimum: 1 })),
})
export type OidcFaultInput = Static<typeof OidcFaultInput>
export type OidcFault = Rule<OidcFaultInput>
type Kind = OidcFaultInput['kind']

export const makeOidcFaults = () => {
  const rules = makeRules<OidcFaultInput>(() => {})
  return {
    ...rules,
    /** Each uses up one turn of the first fault that applies. */
    takeFor: (endpoint: Endpoint): OidcFault | undefined =>
      rules.take((fault): fault is OidcFault => fault.at === endpoint),
    takeOf: (...kinds: readonly Kind[]): OidcFault | undefined =>
      rules.take((fault): fault is OidcFault => kinds.includes(fault.kind)),
  }
}
