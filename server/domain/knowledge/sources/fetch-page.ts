// Reads from a website as a visitor would who keeps to its robots.txt: through the guard of addresses that an admin
// entered, with bounded time and size, and each redirect checked anew.
import { type RequestProblem, refuseUrl, requestGuardedBytes } from '../../../../channels/channel.ts'
import { ALLOWS_ALL, isAllowed, parseRobots, type Robots } from './robots.ts'

const PAGE_BYTES_MAX = 5 * 1024 * 1024
export const SITEMAP_BYTES_MAX = 10 * 1024 * 1024
const ROBOTS_BYTES_MAX = 512 * 1024
const REDIRECTS_MAX = 5
const TIMEOUT_MS = 20_000

/** Of the last time that the page was read. */
export type Validators = { etag: string | null; lastModified: string | null }

export type Fetched =
  | { is: 'read'; url: URL; bytes: Buffer; contentType: string | null; validators: Validators }
  | { is: 'unchanged' }
  | { is: 'gone'; problem: RequestProblem }
  | { is: 'blocked'; problem: RequestProblem }
  /** `isTemporary`: it may work soon, and if it doesn't, neither will the site's other pages. */
  | { is: 'failed'; isTemporary: boolean; problem: RequestProblem }

type Request = { url: URL; kind: 'page' | 'sitemap'; validators: Validators | null }

/** Keeps the robots.txt of each site for as long as the reader is used. */
export type SiteReader = {
  fetch(request: Request): Promise<Fetched>
  /** Undefined if the site doesn't answer. */
  robotsOf(url: URL): Promise<Robots | undefined>
}

const TEMPORARY = new Set([408, 425, 429])
const REDIRECTS = new Set([301, 302, 303, 307, 308])
const PAGE_TYPES = /^(text\/(html|plain|markdown)|application\/xhtml\+xml)\s*(;|$)/i

const failed = (code: string, message: string, isTemporary = false): Fetched => ({
  is: 'failed',
  isTemporary,
  problem: { code, message },
})

const isPermanent = ({ code }: RequestProblem): boolean =>
  code === 'ADDRESS_NOT_ALLOWED' || code === 'REQUEST_INVALID'

const get = (url: URL, bytesMax: number, headers: Record<string, string>, signal: AbortSignal | undefined) =>
  requestGuardedBytes({
    method: 'GET',
    url,
    headers,
    body: null,
    bytesMax,
    timeoutMs: TIMEOUT_MS,
    isRepeatable: true,
    ...(signal && { signal }),
  })

export const makeSiteReader = (signal?: AbortSignal): SiteReader => {
  const known = new Map<string, Promise<Robots | undefined>>()
  const robotsOf = ({ origin }: URL): Promise<Robots | undefined> => {
    const robots = known.get(origin) ?? fetchRobots(new URL('/robots.txt', origin), signal)
    known.set(origin, robots)
    return robots
  }
  return { robotsOf, fetch: (request) => follow(request, robotsOf, signal) }
}

/** A site without the file allows everything; one that fails to serve it may have reasons. */
const fetchRobots = async (first: URL, signal: AbortSignal | undefined): Promise<Robots | undefined> => {
  let url = first
  for (let hops = 0; hops <= REDIRECTS_MAX; hops++) {
    const answer = await get(url, ROBOTS_BYTES_MAX, { accept: 'text/plain' }, signal)
    if (answer.is === 'unanswered') return isPermanent(answer.problem) ? ALLOWS_ALL : undefined
    const { status, headers, bytes } = answer
    if (REDIRECTS.has(status) && headers.location && URL.canParse(headers.location, url.href))
      url = new URL(headers.location, url)
    else if (status === 200) return answer.problem ? undefined : parseRobots(bytes.toString('utf8'))
    else return status >= 500 || status === 429 ? undefined : ALLOWS_ALL
  }
  return ALLOWS_ALL
}

const follow = async (
  { url: first, kind, validators }: Request,
  robotsOf: SiteReader['robotsOf'],
  signal: AbortSignal | undefined,
): Promise<Fetched> => {
  let url = first
  for (let hops = 0; hops <= REDIRECTS_MAX; hops++) {
    const refusal = refuseUrl(url)
    if (refusal) return failed('REQUEST_INVALID', `The address ${refusal}.`)
    const robots = await robotsOf(url)
    if (!robots) return failed('ROBOTS_UNREADABLE', 'The site’s robots.txt can’t be read.', true)
    // Whoever lists a sitemap there wants it to be read.
    if (kind === 'page' && !isAllowed(robots, url))
      return {
        is: 'blocked',
        problem: {
          code: 'BLOCKED_BY_ROBOTS',
          message:
            'The site’s robots.txt doesn’t allow reading this page. Allow it for “Foyer”, then read it again.',
        },
      }
    const conditions = {
      ...(validators?.etag && { 'if-none-match': validators.etag }),
      ...(validators?.lastModified && { 'if-modified-since': validators.lastModified }),
    }
    const accept =
      kind === 'page' ? 'text/html,application/xhtml+xml,text/plain;q=0.8' : 'application/xml,text/xml'
    const answer = await get(
      url,
      kind === 'page' ? PAGE_BYTES_MAX : SITEMAP_BYTES_MAX,
      { accept, ...conditions },
      signal,
    )
    if (answer.is === 'unanswered')
      return { is: 'failed', isTemporary: !isPermanent(answer.problem), problem: answer.problem }
    const { status, headers } = answer
    if (!REDIRECTS.has(status)) return resultOf(answer, url, kind, validators !== null)
    if (!headers.location || !URL.canParse(headers.location, url.href))
      return failed('REDIRECTED', 'The page redirects to an address that isn’t valid.')
    url = new URL(headers.location, url)
    url.hash = ''
  }
  return failed('REDIRECTED', 'The page redirects too many times.')
}

type Answered = Extract<Awaited<ReturnType<typeof requestGuardedBytes>>, { is: 'answered' }>

const resultOf = (
  { status, headers, contentType, bytes, problem }: Answered,
  url: URL,
  kind: Request['kind'],
  isConditional: boolean,
): Fetched => {
  if (status === 304 && isConditional) return { is: 'unchanged' }
  if (status === 404 || status === 410)
    return {
      is: 'gone',
      problem: { code: `HTTP_${status}`, message: `The page doesn’t exist (HTTP ${status}).` },
    }
  if (status !== 200) {
    const isTemporary = TEMPORARY.has(status) || status >= 500
    return failed(`HTTP_${status}`, `The site did not return the page (HTTP ${status}).`, isTemporary)
  }
  if (problem) return failed(problem.code, problem.message, problem.code !== 'RESPONSE_TOO_LARGE')
  if (kind === 'page' && contentType !== null && !PAGE_TYPES.test(contentType))
    return failed('NOT_A_PAGE', 'The address isn’t that of a web page. Upload documents as files.')
  const validators = { etag: shortOf(headers.etag), lastModified: shortOf(headers['last-modified']) }
  return { is: 'read', url, bytes, contentType, validators }
}

const VALIDATOR_CHARS_MAX = 200
const shortOf = (header: string | undefined): string | null =>
  header !== undefined && header.length <= VALIDATOR_CHARS_MAX ? header : null
