// The addresses in a sitemap, after sitemaps.org. Pure.
import { gunzipSync } from 'node:zlib'
import { URL_MAX } from '../schema.ts'

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const withoutEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (all, decimal, hex, name) => {
    if (name) return ENTITIES[name.toLowerCase()]!
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : all
  })

const GZIP = [0x1f, 0x8b]

/** A sitemap may be a compressed file. Undefined if it unpacks to more than `bytesMax` or is damaged. */
export const unpackSitemap = (bytes: Buffer, bytesMax: number): string | undefined => {
  try {
    const isPacked = GZIP.every((byte, at) => bytes[at] === byte)
    return (isPacked ? gunzipSync(bytes, { maxOutputLength: bytesMax }) : bytes).toString('utf8')
  } catch {
    return undefined
  }
}

export type Sitemap = {
  /** Whether it lists other sitemaps. */
  isIndex: boolean
  /** Without those of other origins. */
  urls: string[]
  /** Whether it lists more than were asked for. */
  hasMore: boolean
}

const OPEN = '<loc'

/** Undefined if it is no sitemap. Reads no more of it than it needs. */
export const parseSitemap = (text: string, origin: string, max: number): Sitemap | undefined => {
  const root = /<(?:\w{1,20}:)?(urlset|sitemapindex)[\s>]/.exec(text.slice(0, 10_000))?.[1]
  if (!root) return undefined
  const urls = new Set<string>()
  const found = { isIndex: root === 'sitemapindex' }
  let at = 0
  for (;;) {
    const open = text.indexOf(OPEN, at)
    const start = open < 0 ? -1 : text.indexOf('>', open)
    const end = start < 0 ? -1 : text.indexOf('</', start)
    if (end < 0) return { ...found, urls: [...urls], hasMore: false }
    at = end
    const given = withoutEntities(
      text
        .slice(start + 1, end)
        .replace(/^\s*<!\[CDATA\[|\]\]>\s*$/g, '')
        .trim(),
    )
    const url = given.length <= URL_MAX && URL.canParse(given) ? new URL(given) : undefined
    if (url?.origin !== origin) continue
    url.hash = ''
    if (urls.size === max && !urls.has(url.href)) return { ...found, urls: [...urls], hasMore: true }
    urls.add(url.href)
  }
}
