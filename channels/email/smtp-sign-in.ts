// How an account connects and signs in to its mail server: with the user and password in its URL or, if it has a
// refresh token, with access tokens. The library makes no connections of its own.
import type SMTPTransport from 'nodemailer/lib/smtp-transport'
import { type ChannelAccount, DeliveryError } from '../contract/channel.ts'
import { connectOutbound } from '../protocol/outbound.ts'
import { lineOf } from '../protocol/read-json.ts'
import { accessTokenOf, forgetAccessToken, type OauthSecrets } from './access-token.ts'
import { parseServerAddress } from './server-address.ts'

type Options = Pick<SMTPTransport.Options, 'host' | 'port' | 'secure' | 'requireTLS' | 'auth' | 'getSocket'>

/** Throws a TypeError if the address isn't a URL. */
export const smtpSignIn = (
  { address, secrets }: Pick<ChannelAccount, 'address' | 'secrets'>,
  { timeoutMs }: { timeoutMs: number },
): Options => {
  const { host, port, secure, user, pass, needsTls } = parseServerAddress(secrets.smtpUrl ?? '')
  const oauth: OauthSecrets = secrets
  const auth = oauth.oauthRefreshToken
    ? oauthOf(user || (address ?? ''), oauth, timeoutMs)
    : user || pass
      ? { user, pass }
      : undefined
  return {
    host,
    port,
    secure,
    requireTLS: needsTls && auth !== undefined,
    ...(auth && { auth }),
    getSocket: (_options, callback) => {
      connectOutbound({ host, port, timeoutMs }).then(
        (connection) => callback(null, { connection }),
        (error) => callback(error),
      )
    },
  }
}

/** An error from fetching a token stays available as the cause of the library's error. */
const oauthOf = (user: string, secrets: OauthSecrets, timeoutMs: number): SMTPTransport.Options['auth'] => ({
  type: 'OAuth2',
  user,
  provisionCallback: (_user, renew, callback) => {
    if (renew) forgetAccessToken(secrets)
    accessTokenOf(secrets, { timeoutMs }).then(
      // Tokens are cached at their source, so the library has to ask each time.
      (token) => callback(null, token, Date.now()),
      (cause) => callback(new Error('no access token', { cause }), '', 0),
    )
  },
})

/** The library's errors. */
export type SmtpError = Error & { code?: string; responseCode?: number; response?: string; command?: string }

/** Our own error, which the library passes on unchanged or as a cause. */
export const deliveryErrorOf = (error: Error): DeliveryError | undefined =>
  [error, error.cause].find((one) => one instanceof DeliveryError)

/** RFC 5321, 4.2: every line of a reply starts with its code. */
const IS_REPLY = /^\d{3}([ -]|$)/

/**
 * The server's message, in one line without control characters. Null if it isn't a mail server: whatever else answers
 * at that address must not be disclosed.
 */
export const replyOf = ({ response }: SmtpError, max: number): string | null =>
  response !== undefined && IS_REPLY.test(response) ? lineOf(response, max) : null
