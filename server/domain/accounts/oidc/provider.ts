// The identity provider, by OpenID Connect: authorization code with PKCE, state and nonce. The protocol is a library's,
// loaded on first use. Its answers are read within limits of time and size.
import type { ClientAuth, ClientMetadata, Configuration, ServerMetadata } from 'openid-client'
import { type GuardedFetch, makeGuardedFetch } from '../../../../channels/channel.ts'
import { isLoopbackUrl } from '../../../platform/loopback.ts'
import { explain } from './explain.ts'
import { OidcError } from './oidc-error.ts'
import type { OidcSettings } from './settings.ts'
import type { OidcPerson } from './sign-in-by-oidc.ts'

/** What connects a sign-in's request and its callback; only this browser's cookie leads to them. */
export type OidcKeys = { state: string; nonce: string; verifier: string }

export type OidcProvider = OidcSettings & {
  /** Where the browser goes to sign in. Throws OidcError. */
  authorizationUrl: (keys: OidcKeys) => Promise<string>
  /** Who came back with these parameters. Throws OidcError. */
  identify: (parameters: URLSearchParams, keys: OidcKeys) => Promise<OidcPerson>
}

export const OIDC_CALLBACK_PATH = '/console/api/sign-in/oidc/callback'

const SCOPE = 'openid email'
/** For all requests of one step together. */
const TIMEOUT_MS = 10_000
const BYTES_MAX = 512 * 1_024
const DISCOVERY_KEPT_MS = 3_600_000
/** Clocks of providers that are off by less are accepted. */
const CLOCK_TOLERANCE_SECONDS = 120
const SUBJECT_MAX = 255

type Deps = { publicUrl: string; now: () => Date; timeoutMs?: number }

/** A provider that knows us as a client. */
export type OidcClient = Pick<OidcSettings, 'issuer' | 'clientId' | 'clientSecret'>

/** Exchanges with a provider, whose description is kept for a while. Each throws OidcError. */
export const makeOidcExchange = (settings: OidcClient, deps: Omit<Deps, 'publicUrl'>) => {
  const issuer = new URL(settings.issuer)
  let known: { reading: Promise<ServerMetadata>; untilMs: number } | undefined

  /** What an exchange needs. Each reads the provider's keys anew, so that their rotation is never noticed. */
  const open = async (metadata: ServerMetadata, guarded: GuardedFetch): Promise<Configuration> => {
    const openid = await import('openid-client')
    const client: Partial<ClientMetadata> = {
      // Times are those of the database, like everywhere else.
      [openid.clockSkew]: Math.round((deps.now().getTime() - Date.now()) / 1_000),
      [openid.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
    }
    const config = new openid.Configuration(
      metadata,
      settings.clientId,
      client,
      authOf(openid, metadata, settings),
    )
    config[openid.customFetch] = guarded.fetch
    if (isPlain(issuer)) openid.allowInsecureRequests(config)
    openid.enableNonRepudiationChecks(config)
    return config
  }

  const guard = (): GuardedFetch =>
    makeGuardedFetch({
      strictnessOf: (url) => strictnessOf(url, issuer),
      timeoutMs: deps.timeoutMs ?? TIMEOUT_MS,
      bytesMax: BYTES_MAX,
    })

  const discover = async (): Promise<ServerMetadata> => {
    const openid = await import('openid-client')
    const guarded = guard()
    try {
      const config = await openid.discovery(issuer, settings.clientId, undefined, undefined, {
        [openid.customFetch]: guarded.fetch,
        ...(isPlain(issuer) && { execute: [openid.allowInsecureRequests] }),
      })
      return config.serverMetadata()
    } catch (error) {
      throw explain(error, guarded)
    }
  }

  const metadata = (): Promise<ServerMetadata> => {
    const nowMs = deps.now().getTime()
    if (known && nowMs < known.untilMs) return known.reading
    const reading = discover()
    const reads = { reading, untilMs: nowMs + DISCOVERY_KEPT_MS }
    known = reads
    // Whoever comes next asks again.
    reading.catch(() => {
      if (known === reads) known = undefined
    })
    return reading
  }

  /** What the provider said before may be why it failed, so it is read again next time. */
  const exchange = async <T>(
    work: (config: Configuration, metadata: ServerMetadata) => Promise<T>,
  ): Promise<T> => {
    const server = await metadata()
    const guarded = guard()
    try {
      return await work(await open(server, guarded), server)
    } catch (error) {
      known = undefined
      throw explain(error, guarded)
    }
  }
  return exchange
}

export const makeOidcProvider = (settings: OidcSettings, deps: Deps): OidcProvider => {
  const redirectUri = `${deps.publicUrl}${OIDC_CALLBACK_PATH}`
  const exchange = makeOidcExchange(settings, deps)
  return {
    ...settings,
    authorizationUrl: ({ state, nonce, verifier }) =>
      exchange(async (config) => {
        const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import('openid-client')
        return buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: SCOPE,
          state,
          nonce,
          code_challenge: await calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        }).href
      }),
    identify: (parameters, { state, nonce, verifier }) =>
      exchange(async (config, server) => {
        const { authorizationCodeGrant } = await import('openid-client')
        const tokens = await authorizationCodeGrant(config, new URL(`${redirectUri}?${parameters}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        // The library checked that there is one.
        const claims = tokens.claims()!
        return personOf(claims, await emailClaims(config, server, { claims, token: tokens.access_token }))
      }),
  }
}

type Claims = { iss: string; sub: string; email?: unknown; email_verified?: unknown }

/** Providers may only tell the email at their userinfo endpoint. */
const emailClaims = async (
  config: Configuration,
  server: ServerMetadata,
  { claims, token }: { claims: Claims; token: string },
): Promise<Pick<Claims, 'email' | 'email_verified'>> => {
  if (claims.email !== undefined || server.userinfo_endpoint === undefined) return claims
  const { fetchUserInfo } = await import('openid-client')
  return fetchUserInfo(config, token, claims.sub)
}

const personOf = (
  { iss, sub }: Claims,
  { email, email_verified: verified }: Pick<Claims, 'email' | 'email_verified'>,
): OidcPerson => {
  if (sub === '' || sub.length > SUBJECT_MAX || /[^\x20-\x7e]/.test(sub))
    throw new OidcError('invalid', 'the subject is not one of OpenID Connect')
  return {
    issuer: iss,
    subject: sub,
    email: typeof email === 'string' ? email : null,
    // Some providers write it as text.
    isEmailVerified: verified === true || verified === 'true',
  }
}

/** Without TLS, which the settings allow on this machine only. */
const isPlain = ({ protocol, href }: URL): boolean => protocol === 'http:' && isLoopbackUrl(href)

/** The operator chose the issuer's host. Others that the provider names must be public, or listed in OUTBOUND_ALLOW. */
const strictnessOf = (url: URL, issuer: URL): 'operator' | 'every' | 'listed' =>
  url.origin === issuer.origin ? 'operator' : url.protocol === 'https:' ? 'every' : 'listed'

const authOf = (
  { ClientSecretBasic, ClientSecretPost }: typeof import('openid-client'),
  { token_endpoint_auth_methods_supported: methods }: ServerMetadata,
  { clientSecret }: OidcClient,
): ClientAuth =>
  methods?.includes('client_secret_post') && !methods.includes('client_secret_basic')
    ? ClientSecretPost(clientSecret)
    : ClientSecretBasic(clientSecret)
