// What the server that received an email found out about its sender (RFC 8601), and whether that applies to the From
// address. Senders can forge this header, so only one with our own server's name counts in their favour. Our own
// parser, because mailauth's comes with an HTTP client and a schema library.
import { getDomain } from 'tldts'
import { type Head, headersOf } from './head.ts'

export type AuthenticationReport = {
  /** The server that reports this, in lower case; empty if it does not name itself (Microsoft 365). */
  server: string
  results: { method: string; result: string; properties: Record<string, string> }[]
  /** A comment or quoted string is not closed, so the rest can't be parsed. */
  isBroken: boolean
  /** No hop is recorded above it, so only the server that the email was delivered to can have written it. */
  isAboveHops: boolean
}

export type SenderVerification = 'verified' | 'failed' | 'absent'

const REPORTS_MAX = 10
const RESULTS_MAX = 50
const PROPERTIES_MAX = 20
const VALUE_MAX = 320

/** Providers whose servers always write the header and remove forged ones, by the host of their IMAP server. */
const PROVIDERS: readonly { imap: RegExp; servers: readonly string[] }[] = [
  { imap: /(?:^|\.)(?:gmail|googlemail|google)\.com$/, servers: ['mx.google.com'] },
  { imap: /(?:^|\.)(?:office365|outlook|hotmail)\.com$/, servers: ['', 'outlook.com'] },
  { imap: /(?:^|\.)(?:yahoo|aol)\.com$/, servers: ['yahoo.com', 'aol.com'] },
  { imap: /(?:^|\.)fastmail\.com$/, servers: ['messagingengine.com'] },
  { imap: /(?:^|\.)gmx\.(?:net|com|de|at|ch)$/, servers: ['gmx.net'] },
  { imap: /(?:^|\.)web\.de$/, servers: ['web.de'] },
  { imap: /(?:^|\.)zoho\.(?:com|eu|in)$/, servers: ['zohomail.com', 'zohomail.eu', 'zohomail.in'] },
  { imap: /(?:^|\.)yandex\.(?:ru|com)$/, servers: ['yandex.ru', 'yandex.net'] },
]

/** The names under which our own server writes the header: from the mailbox's settings, else its provider's. */
export const authenticationServersOf = (
  setting: string | undefined,
  imapUrl: string | undefined,
): readonly string[] => {
  if (setting) return [setting.toLowerCase()]
  const host = imapUrl && URL.canParse(imapUrl) ? new URL(imapUrl).hostname.toLowerCase() : ''
  return PROVIDERS.find(({ imap }) => imap.test(host))?.servers ?? []
}

/** Splits at semicolons, drops comments and unquotes strings, in one pass. */
const segmentsOf = (value: string): { segments: string[][]; isBroken: boolean } => {
  const segments: string[][] = [[]]
  let token = ''
  let depth = 0
  let isQuoted = false
  const endToken = () => {
    if (token !== '') segments.at(-1)!.push(token)
    token = ''
  }
  for (let at = 0; at < value.length; at++) {
    const char = value[at]!
    if (char === '\\' && (isQuoted || depth > 0)) {
      at++
      if (isQuoted) token += value[at] ?? ''
    } else if (isQuoted) {
      if (char === '"') isQuoted = false
      else token += char
    } else if (char === '(') depth++
    else if (char === ')' && depth > 0) depth--
    else if (depth > 0) continue
    else if (char === '"') isQuoted = true
    else if (char === ';') {
      endToken()
      segments.push([])
    } else if (/\s/.test(char)) endToken()
    else token += char
  }
  endToken()
  return { segments, isBroken: isQuoted || depth > 0 }
}

/** `name = value`, `name =value` and `name= value` as well as `name=value`. */
const pairsOf = (tokens: readonly string[]): [name: string, value: string][] => {
  const pairs: [string, string][] = []
  for (let at = 0; at < tokens.length; at++) {
    let text = tokens[at]!
    if (!text.includes('=') && tokens[at + 1]?.startsWith('=')) text += tokens[++at]!
    const equals = text.indexOf('=')
    if (equals < 1) continue
    if (equals === text.length - 1 && at + 1 < tokens.length) text += tokens[++at]!
    pairs.push([text.slice(0, equals).toLowerCase(), text.slice(equals + 1, equals + 1 + VALUE_MAX)])
  }
  return pairs
}

const METHOD = /^([a-z][a-z0-9-]{0,40})(?:\/\d{1,3})?$/

const readReport = (value: string): Omit<AuthenticationReport, 'isAboveHops'> => {
  const { segments, isBroken } = segmentsOf(value)
  const [first = []] = segments
  const isNamed = first.length > 0 && !first[0]!.includes('=') && !first[1]?.startsWith('=')
  const results = segments.slice(isNamed ? 1 : 0, RESULTS_MAX).flatMap((tokens) => {
    const [outcome, ...properties] = pairsOf(tokens)
    const method = outcome && METHOD.exec(outcome[0])?.[1]
    if (!method) return []
    return [
      {
        method,
        result: outcome[1].toLowerCase(),
        properties: Object.fromEntries(properties.slice(0, PROPERTIES_MAX)),
      },
    ]
  })
  return { server: isNamed ? first[0]!.toLowerCase().slice(0, VALUE_MAX) : '', results, isBroken }
}

/** Reports in header order: the last server's comes first. */
export const authenticationReportsOf = (head: Head): AuthenticationReport[] => {
  const firstHop = head.headers.findIndex(({ name }) => name === 'received')
  const firstReport = head.headers.findIndex(({ name }) => name === 'authentication-results')
  return headersOf(head, 'authentication-results')
    .slice(0, REPORTS_MAX)
    .map((value, at) => ({
      ...readReport(value),
      isAboveHops: at === 0 && (firstHop === -1 || firstReport < firstHop),
    }))
}

const domainOf = (text: string): string => text.slice(text.lastIndexOf('@') + 1).toLowerCase()

const organisationOf = (domain: string): string => getDomain(domain, { allowPrivateDomains: true }) ?? domain

const isAligned = (value: string | undefined, from: string): boolean =>
  value !== undefined && value !== '' && organisationOf(domainOf(value)) === organisationOf(from)

const isNamedBy = (server: string, name: string): boolean =>
  server === name || (name !== '' && server.endsWith(`.${name}`))

/** Null: the report says nothing for or against the address. */
const judge = ({ results, isBroken }: AuthenticationReport, from: string): 'verified' | 'failed' | null => {
  if (isBroken) return 'failed'
  const of = (name: string) => results.filter(({ method }) => method === name)
  const dmarc = of('dmarc')
  if (dmarc.some(({ result }) => result === 'fail')) return 'failed'
  if (dmarc.some(({ result }) => result === 'pass'))
    return dmarc.every(
      ({ properties }) =>
        properties['header.from'] === undefined || isAligned(properties['header.from'], from),
    )
      ? 'verified'
      : null
  const dkim = of('dkim').some(
    ({ result, properties }) =>
      result === 'pass' && isAligned(properties['header.d'] ?? properties['header.i'], from),
  )
  const spf = of('spf')
  const isSender = spf.some(
    ({ result, properties }) => result === 'pass' && isAligned(properties['smtp.mailfrom'], from),
  )
  if (dkim || isSender) return 'verified'
  return spf.some(({ result }) => result === 'fail' || result === 'hardfail') ? 'failed' : null
}

export type Verified = {
  from: { address: string } | null
  authentication: readonly AuthenticationReport[]
}

/**
 * Whether our server verified the From address. Only the topmost report under one of the server's names counts in the
 * sender's favour; if no name is known, the one above every hop that names the mailbox's own domain. The topmost report
 * overall and any that names the mailbox's own domain count against the sender, because nobody forges a failure for
 * themselves.
 */
export const verifySender = (
  { from, authentication }: Verified,
  servers: readonly string[],
  mailbox: string | null,
): SenderVerification => {
  const [topmost] = authentication
  if (!from || !topmost) return 'absent'
  const domain = domainOf(from.address)
  const isOwnDomain = ({ server }: AuthenticationReport) =>
    mailbox !== null && isAligned(server, domainOf(mailbox))
  const ours =
    servers.length > 0
      ? authentication.find(({ server }) => servers.some((name) => isNamedBy(server, name)))
      : topmost.isAboveHops && isOwnDomain(topmost)
        ? topmost
        : undefined
  if (ours) return judge(ours, domain) ?? 'absent'
  const against = [topmost, ...(servers.length > 0 ? [] : authentication.filter(isOwnDomain))]
  return against.some((report) => judge(report, domain) === 'failed') ? 'failed' : 'absent'
}
