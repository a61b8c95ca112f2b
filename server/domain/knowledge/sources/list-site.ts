// Which pages a website source has.
import type { ReadProblem } from './extract/problem.ts'
import { SITEMAP_BYTES_MAX, type SiteReader } from './fetch-page.ts'
import { PAGES_MAX } from './schema.ts'
import { parseSitemap, unpackSitemap } from './sitemap.ts'
import type { StoredSource } from './source-queries.ts'

/** Sitemaps that another one lists. */
const SITEMAPS_MAX = 20

type Listed = { urls: string[] } | { problem: ReadProblem; isTemporary: boolean }

const refuse = (code: string, message: string): Listed => ({ problem: { code, message }, isTemporary: false })

/** Up to 500 pages of the sitemap's own site, in its order; those that it lists beyond are left out. */
export const listSite = async (
  source: Pick<StoredSource, 'kind' | 'url'>,
  site: SiteReader,
): Promise<Listed> => {
  const first = new URL(source.url!)
  if (source.kind === 'page') return { urls: [first.href] }
  const urls = new Set<string>()
  const todo = [first]
  for (let at = 0; at < todo.length && urls.size < PAGES_MAX; at++) {
    const fetched = await site.fetch({ url: todo[at]!, kind: 'sitemap', validators: null })
    if (fetched.is === 'failed' && fetched.isTemporary) return { problem: fetched.problem, isTemporary: true }
    if (fetched.is === 'failed' && fetched.problem.code === 'RESPONSE_TOO_LARGE')
      return refuse(
        'SITEMAP_TOO_LARGE',
        'The sitemap is larger than 10 MiB. Enter one with fewer pages, or single pages.',
      )
    const text = fetched.is === 'read' ? unpackSitemap(fetched.bytes, SITEMAP_BYTES_MAX) : undefined
    const sitemap = text === undefined ? undefined : parseSitemap(text, first.origin, PAGES_MAX)
    if (sitemap?.isIndex)
      todo.push(...sitemap.urls.slice(0, SITEMAPS_MAX + 1 - todo.length).map((url) => new URL(url)))
    else if (sitemap) for (const url of sitemap.urls.slice(0, PAGES_MAX - urls.size)) urls.add(url)
    // One that another lists may be missing.
    else if (at === 0)
      return fetched.is === 'read'
        ? refuse('NOT_A_SITEMAP', 'The address isn’t that of a sitemap. Add it as a page instead.')
        : { problem: 'problem' in fetched ? fetched.problem : NOTHING, isTemporary: false }
  }
  return urls.size > 0 ? { urls: [...urls] } : { problem: NOTHING, isTemporary: false }
}

const NOTHING: ReadProblem = {
  code: 'NO_PAGES',
  message: 'The sitemap lists no pages of this site.',
}
