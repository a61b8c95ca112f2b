// Marks an email's links that don't lead where they claim: the text names another host, or the URL starts with a host
// that is only a user name. Works on sanitize.ts's output, which is well-formed.
import { domainToASCII } from 'node:url'
import { getDomain, parse } from 'tldts'

const LINKS_MAX = 2_000
const TEXT_MAX = 500
const NAMED_MAX = 5
/** Words separated by dots. The public suffix list decides whether they are a host. */
const HOST = /[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu

const organisationOf = (host: string): string => getDomain(host, { allowPrivateDomains: true }) ?? host

const hostsIn = (text: string): string[] =>
  (text.slice(0, TEXT_MAX).normalize('NFKC').match(HOST) ?? [])
    .slice(0, NAMED_MAX)
    .map((host) => domainToASCII(host))
    .filter((host) => parse(host).isIcann === true)

const unescaped = (value: string): string =>
  value.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

/** The host that a link leads to, if its text names a different one. */
const misnamedHost = (href: string, text: string): string | null => {
  const address = unescaped(href).trim()
  if (!/^https?:/i.test(address) || !URL.canParse(address)) return null
  const { hostname, username } = new URL(address)
  const named = hostsIn(text)
  const isNamed =
    named.length === 0 || named.some((host) => organisationOf(host) === organisationOf(hostname))
  return isNamed && username === '' ? null : hostname
}

/** The same HTML, with `data-leads-to` on each such link. */
export const markLinks = (html: string): string => {
  const parts: string[] = []
  let at = 0
  for (let count = 0; count < LINKS_MAX; count++) {
    const start = html.indexOf('<a ', at)
    const open = start === -1 ? -1 : html.indexOf('>', start)
    const end = open === -1 ? -1 : html.indexOf('</a>', open)
    if (end === -1) break
    const tag = html.slice(start, open)
    const href = / href="([^"]{1,2000})"/.exec(tag)?.[1]
    const text = html.slice(open + 1, Math.min(end, open + 5_000)).replace(/<[^<>]{0,2000}>/g, '')
    const host = href === undefined ? null : misnamedHost(href, unescaped(text))
    parts.push(
      html.slice(at, start),
      tag,
      host === null ? '' : ` data-leads-to="${host}"`,
      html.slice(open, open + 1),
    )
    at = open + 1
  }
  parts.push(html.slice(at))
  return parts.join('')
}
