import Type, { type Static } from 'typebox'

/** Why a person who came back from the identity provider was not signed in; console/screens/sign-in has the words. */
export const OIDC_PROBLEMS = [
  'expired',
  'denied',
  'unavailable',
  'invalid',
  'email_unverified',
  'domain_not_allowed',
  'no_account',
  'other_subject',
  'too_many',
  'failed',
] as const
export type OidcProblem = (typeof OIDC_PROBLEMS)[number]

const PATH_MAX = 1_000

export const StartOidc = Type.Object({
  to: Type.Optional(
    Type.String({ maxLength: PATH_MAX, description: 'The path in the console to open once signed in.' }),
  ),
})
export const OidcStarted = Type.Object({
  url: Type.String({ description: 'Where the browser goes to sign in.' }),
})
export type OidcStarted = Static<typeof OidcStarted>
