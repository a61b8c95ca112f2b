// Google and Microsoft, as mailboxes are connected to them: by signing in there once. What comes back is a refresh token,
// from which channels/email gets access tokens. The operator registers the application.
import { randomBytes } from 'node:crypto'
import type { MailProviderName } from '../../../../channels/channel.ts'
import { MAIL_PROVIDERS } from '../../../../channels/channel.ts'
import { OidcError } from '../../accounts/oidc/oidc-error.ts'
import { makeOidcExchange, type OidcClient, type OidcKeys } from '../../accounts/oidc/provider.ts'
import type { Fields } from '../../read-fields.ts'

/** The page of the console that the browser comes back to. */
export const MAILBOX_OAUTH_PATH = '/settings/channels/connect'

export type MailOauthClient = OidcClient & {
  name: MailProviderName
  smtpUrl: string
  /** Null: the sandbox's, which delivers to the webhook. */
  imapUrl: string | null
}

export type MailOauth = {
  name: MailProviderName
  label: string
  /** Where the browser goes. Throws OidcError. */
  authorizationUrl: (keys: OidcKeys) => Promise<string>
  /** The fields of the mailbox that was signed in to. Throws OidcError. */
  grant: (parameters: URLSearchParams, keys: OidcKeys) => Promise<Fields & { address: string }>
}

/** The application that the operator registered at a provider. */
export const clientOf = (
  name: MailProviderName,
  { tenant = '', ...client }: Pick<OidcClient, 'clientId' | 'clientSecret'> & { tenant?: string },
): MailOauthClient => {
  const { issuer, smtpUrl, imapUrl } = MAIL_PROVIDERS[name]
  return { ...client, name, issuer: issuer.replace('{tenant}', tenant), smtpUrl, imapUrl }
}

type Deps = { publicUrl: string; now: () => Date }

export const makeMailOauth = (client: MailOauthClient, deps: Deps): MailOauth => {
  const { name, clientId, clientSecret, smtpUrl, imapUrl } = client
  const { label, scope, parameters, plusAddressing } = MAIL_PROVIDERS[name]
  const redirectUri = `${deps.publicUrl}${MAILBOX_OAUTH_PATH}`
  const exchange = makeOidcExchange(client, deps)
  return {
    name,
    label,
    authorizationUrl: ({ state, nonce, verifier }) =>
      exchange(async (config) => {
        const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import('openid-client')
        return buildAuthorizationUrl(config, {
          ...parameters,
          redirect_uri: redirectUri,
          ...{ scope, state, nonce },
          code_challenge: await calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        }).href
      }),
    grant: (answer, { state, nonce, verifier }) =>
      exchange(async (config, server) => {
        const { authorizationCodeGrant } = await import('openid-client')
        const tokens = await authorizationCodeGrant(config, new URL(`${redirectUri}?${answer}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        // The library checked that there are claims.
        const { email, preferred_username: username } = tokens.claims()!
        const address = [email, username].find((one) => typeof one === 'string' && one.includes('@'))
        if (typeof address !== 'string')
          throw new OidcError('invalid', 'the provider didn’t say which mailbox it is')
        if (!tokens.refresh_token || !server.token_endpoint)
          throw new OidcError('invalid', 'the provider gave no refresh token')
        return {
          address: address.toLowerCase(),
          smtpUrl,
          ...(imapUrl === null ? { inboundSecret: randomBytes(24).toString('base64url') } : { imapUrl }),
          oauthTokenUrl: server.token_endpoint,
          oauthClientId: clientId,
          oauthClientSecret: clientSecret,
          oauthRefreshToken: tokens.refresh_token,
          ...(plusAddressing && { plusAddressing: 'true' }),
        }
      }),
  }
}
