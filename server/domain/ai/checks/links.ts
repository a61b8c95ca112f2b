// A link is the way by which a reply could carry something out, or lead a customer astray: those in the sources may be
// said, and those of the workspace's own sites.
import { normalizeDigits } from '../../../../flow-engine/fold-text.ts'
import type { CheckedReply, Known, ReplyProblem } from './reply.ts'
import { wordsOf } from './words.ts'

/** Endings of bare addresses that people write. Others need https:// or www. to become links anywhere. */
const ENDINGS = new Set(
  'com net org info biz io co app dev ai shop store site online me tv eu uk de at ch fr es it nl be pt pl se no dk fi ie us ca au nz jp cn in br mx ru ua tr xyz link click top example test invalid'.split(
    ' ',
  ),
)
const SHOWN_MAX = 80

export const findLinkProblems = ({ text }: CheckedReply, known: Known): ReplyProblem[] => {
  const problems: ReplyProblem[] = []
  if (/!\[|\]\(|\]\[|<\/?[a-z!]|&#\w/i.test(text))
    problems.push({ code: 'markup', message: 'The reply contains HTML or Markdown links. Use plain text.' })
  const allowed = new Set([
    ...known.sources.flatMap(({ text, url }) => linksIn(url === null ? text : `${text} ${url}`)),
    ...known.results.flatMap(linksIn),
  ])
  const bad = linksIn(text).find((link) => !allowed.has(link) && !isOwn(link, known.ownDomains))
  if (bad !== undefined)
    problems.push({
      code: 'link',
      message: `The reply contains the link “${bad.slice(0, SHOWN_MAX)}”, which isn’t in the sources. Leave it out.`,
    })
  return problems
}

/** Without scheme and www, in lowercase up to the path: two ways to write one link are equal. */
export const linksIn = (text: string): string[] =>
  // A link in brackets or quotes, or behind a word: all are words of their own.
  wordsOf(normalizeDigits(text).replace(/[<>()[\]{}"'“”„«»|\\]/g, ' ')).flatMap((word) => {
    const link = linkOf(word)
    return link === undefined ? [] : [link]
  })

const linkOf = (word: string): string | undefined => {
  const scheme = /([a-z][a-z0-9+.-]{0,20}):(\/\/|(?=\S))/i.exec(word)
  const [whole = '', name = ''] = scheme ?? []
  if (scheme && whole.endsWith('//')) return plain(word.slice(scheme.index + whole.length), name)
  if (scheme && /^(mailto|tel|sms|javascript|data|file|whatsapp|tg)$/i.test(name)) return word.toLowerCase()
  if (/^www\./i.test(word)) return plain(word, 'https')
  const host = word.split(/[/?#:]/, 1)[0] ?? ''
  if (word.includes('@') || !/^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+$/u.test(host)) return undefined
  return ENDINGS.has(host.toLowerCase().split('.').at(-1)!) ? plain(word, 'https') : undefined
}

const plain = (rest: string, scheme: string): string => {
  const url = URL.parse(`https://${rest}`)
  const isWeb = /^h(tt|xx)ps?$/i.test(scheme)
  if (url?.username !== '' || !isWeb) return `${scheme}://${rest}`.toLowerCase()
  const path = url.pathname === '/' ? '' : url.pathname.replace(/(?<!\/)\/+$/, '')
  return url.host.replace(/^www\./, '') + path + url.search + url.hash
}

/** Below one of the sites. What follows `?` or `#` could carry something, so it isn't free. */
const isOwn = (link: string, domains: readonly string[]): boolean => {
  if (/[?#]/.test(link) || link.includes('://')) return false
  const host = link.split(/[/:]/, 1)[0]!
  return domains.some((domain) => {
    const own = domain.toLowerCase().replace(/^www\./, '')
    return host === own || host.endsWith(`.${own}`)
  })
}
