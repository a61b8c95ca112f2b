// Reads the settings of console sign-in by OpenID Connect.
import type { OidcSettings } from '../domain/accounts/oidc/settings.ts'
import { isLoopbackUrl } from '../platform/loopback.ts'

/** The issuer of the demo: its sandbox, whose address is only known once it runs. */
export const SANDBOX_ISSUER = 'sandbox'

const NAME_DEFAULT = 'single sign-on'
const NAME_MAX = 40
const DOMAINS_MAX = 100
const DOMAIN = /^(?=.{1,253}$)[\p{L}\p{N}-]{1,63}(\.[\p{L}\p{N}-]{1,63})+$/u

type Read = <T>(name: string, parse: (text: string) => T, fallback: T) => T

const issuer = (text: string): string => {
  if (text === SANDBOX_ISSUER) return text
  const parsed = URL.canParse(text) ? new URL(text) : null
  if (parsed?.protocol !== 'https:' && !(parsed?.protocol === 'http:' && isLoopbackUrl(text)))
    throw new Error('must be a URL that begins with https://')
  if (/[?#]/.test(text) || parsed.username || parsed.password)
    throw new Error('must not have a query, a fragment, a user name or a password')
  return text
}

const name = (text: string): string => {
  if ([...text].length > NAME_MAX || /\p{C}/u.test(text))
    throw new Error(`must have at most ${NAME_MAX} visible characters`)
  return text
}

const domains = (text: string): string[] => {
  const entries = text
    .split(',')
    .map((entry) => entry.trim().toLowerCase().replace(/^@/, ''))
    .filter((entry) => entry !== '')
  const wrong = entries.find((entry) => !DOMAIN.test(entry))
  if (wrong !== undefined) throw new Error(`has the entry "${wrong}", which is not a domain (example.com)`)
  if (entries.length > DOMAINS_MAX) throw new Error(`must list at most ${DOMAINS_MAX} domains`)
  return entries
}

const given = (text: string): string => text

/** Null: people sign in with codes and links only. */
export const readOidcSettings = (
  read: Read,
  onOff: (text: string) => boolean,
  problems: string[],
): OidcSettings | null => {
  const settings: OidcSettings = {
    issuer: read('OIDC_ISSUER', issuer, ''),
    clientId: read('OIDC_CLIENT_ID', given, ''),
    clientSecret: read('OIDC_CLIENT_SECRET', given, ''),
    name: read('OIDC_NAME', name, NAME_DEFAULT),
    allowedDomains: read<string[]>('OIDC_ALLOWED_DOMAINS', domains, []),
    trustsEmails: read('OIDC_TRUST_EMAILS', onOff, false),
    isOnly: read('OIDC_ONLY', onOff, false),
  }
  if (settings.issuer === SANDBOX_ISSUER) return settings
  const needed = [settings.issuer, settings.clientId, settings.clientSecret]
  if (needed.every(Boolean)) return settings
  if (
    (needed.some(Boolean) || settings.isOnly) &&
    !problems.some((problem) => problem.startsWith('OIDC_ISSUER'))
  )
    problems.push('OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set together')
  return null
}
