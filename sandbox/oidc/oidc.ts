// An identity provider (OpenID Connect Core: authorization code with PKCE) whose users are the sandbox's people. What
// answers is loaded with the first request.
import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { type App, ControlError } from '../http.ts'
import type { People, Person } from '../people.ts'
import { closed } from '../shapes.ts'
import { makeOidcFaults, type OidcFault, type OidcFaultInput } from './faults.ts'
import type { OidcOptions, OidcState } from './state.ts'

/** What the provider says of a person. */
export const AccountPatch = closed({
  subject: Type.Optional(Type.String({ maxLength: 300 })),
  email: Type.Optional(Type.Union([Type.String({ maxLength: 300 }), Type.Null()])),
  emailVerified: Type.Optional(Type.Unknown()),
  /** Where the email is told. */
  emailAt: Type.Optional(Type.Enum(['token', 'userinfo'])),
})
export type AccountPatch = Static<typeof AccountPatch>

const DEFAULT: OidcOptions = {
  clientId: 'foyer',
  clientSecret: 'sandbox-client-secret',
  redirectUri: null,
}

export type OidcControl = ReturnType<typeof makeOidc>['control']

export const makeOidc = (people: People, url: () => string, given: Partial<OidcOptions> = {}) => {
  const patches = new Map<string, AccountPatch>()
  const subjects = new Map<string, string>()
  const personOf = (id: string): Person => {
    const person = people.get(id)
    if (!person) throw new ControlError('Person not found.', 404)
    return person
  }
  const subjectOf = ({ id, email, name }: Person): string => {
    // The same in every run, and whatever becomes of the email in this one.
    const subject =
      subjects.get(id) ??
      createHash('sha256')
        .update(email ?? name)
        .digest('base64url')
        .slice(0, 24)
    subjects.set(id, subject)
    return subject
  }
  const state: OidcState = {
    options: { ...DEFAULT, ...given },
    issuer: () => `${url()}/oidc`,
    people: () => people.list().flatMap(({ id, name, email }) => (email ? [{ id, name, email }] : [])),
    accountOf: (personId) => {
      const person = personOf(personId)
      return {
        subject: subjectOf(person),
        name: person.name,
        email: person.email,
        emailVerified: true,
        emailAt: 'token',
        ...patches.get(personId),
      }
    },
    faults: makeOidcFaults(),
    waiting: new Map(),
    codes: new Map(),
    tokens: new Map(),
    refreshTokens: new Map(),
    asked: {},
    rotations: 0,
  }
  return {
    register: (app: App): void => register(app, state),
    isAccessToken: (token: string): boolean => state.tokens.has(token),
    control: {
      oidc: () => ({ issuer: state.issuer(), ...state.options, asked: state.asked }),
      /** Takes access away from every application that people gave it to. */
      revokeOidc: (): void => {
        state.tokens.clear()
        state.refreshTokens.clear()
      },
      setOidc: (patch: Partial<OidcOptions>): void => {
        Object.assign(state.options, patch)
      },
      setOidcAccount: (personId: string, patch: AccountPatch): void => {
        state.accountOf(personId)
        patches.set(personId, { ...patches.get(personId), ...patch })
      },
      /** New keys; those before the last are no longer published. */
      rotateOidcKeys: (): void => {
        state.rotations++
      },
      oidcFaults: (): OidcFault[] => state.faults.list(),
      addOidcFault: (input: OidcFaultInput): OidcFault => state.faults.add(input),
      clearOidcFaults: (): void => state.faults.clear(),
    },
  }
}

type Endpoints = typeof import('./endpoints.ts')

const register = (app: App, state: OidcState): void => {
  const on = (
    method: 'GET' | 'POST',
    path: string,
    answer: (endpoints: Endpoints, request: FastifyRequest, reply: FastifyReply) => unknown,
  ): void => {
    app.route({
      method,
      url: `/oidc${path}`,
      handler: async (request, reply) => {
        state.asked[path] = (state.asked[path] ?? 0) + 1
        return answer(await import('./endpoints.ts'), request, reply)
      },
    })
  }
  on('GET', '/.well-known/openid-configuration', ({ discovery }, _, reply) => discovery(state, reply))
  on('GET', '/jwks', ({ jwks }, _, reply) => jwks(state, reply))
  on('GET', '/authorize', ({ authorize }, request, reply) => authorize(state, request, reply))
  on('POST', '/authorize', ({ decide }, request, reply) => decide(state, request, reply))
  on('POST', '/token', ({ token }, request, reply) => token(state, request, reply))
  on('GET', '/userinfo', ({ userinfo }, request, reply) => userinfo(state, request, reply))
}
