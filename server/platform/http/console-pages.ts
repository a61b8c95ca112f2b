// Serves the console: one page for all of its URLs, in the browser's language, and its built files. The page runs only
// those files, can't be framed and connects only to us. Until it has been built, / redirects to the API docs.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import { hasVersion } from './etag.ts'
import { chooseEncoding, keepFile } from './static-files.ts'

const CONTENT_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  // Style attributes are for measured values: menu positions, rows of a long list.
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "frame-src 'self' blob:",
  "object-src 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
].join('; ')

const PAGE_HEADERS = {
  'content-security-policy': CONTENT_POLICY,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), payment=(), usb=()',
  'cache-control': 'no-cache',
}

const ASSET_HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
}

const ROOT_FILE_HEADERS = { ...ASSET_HEADERS, 'cache-control': 'no-cache' }

/**
 * The document that emails are shown in, inside a sandboxed frame: an empty page with its own policy, because remote
 * images, if requested, may be loaded here and nowhere else. Nothing in it can run.
 */
const MAIL_FRAME_PATH = '/console/mail-frame'
const MAIL_FRAME =
  '<!doctype html><html><head><meta charset="utf-8"><title>Email</title></head><body></body></html>'
const MAIL_FRAME_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src-attr 'unsafe-inline'; img-src 'self' data: https: http:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'public, max-age=3600',
}

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  webmanifest: 'application/manifest+json',
  woff2: 'font/woff2',
}

/** Files that browsers know by these names, so they are asked for again each time. */
const ROOT_FILES = ['sw.js', 'manifest.webmanifest', 'icon-192.png', 'icon-512.png', 'icon-maskable.png']

const ASSET_PATTERN = /^[\w-][\w.-]*\.(\w+)$/
/** Paths below these belong to other parts or nothing, never to a console screen. */
export const NO_SCREEN =
  /^\/(?:api|console|demo|docs|files|healthz|mcp|metrics|readyz|sandbox|sdk|webhooks|widget)(?:\/|$)/
/** A name with an extension is a missing file. */
const isFile = (path: string): boolean => path.lastIndexOf('.') > path.lastIndexOf('/')

/** Whether a path, without its query, can be a screen's. */
export const isScreenPath = (path: string): boolean => !NO_SCREEN.test(path) && !isFile(path)

type ConsolePages = {
  /** Whether an unmatched request is for a screen. */
  isScreen: (request: FastifyRequest) => boolean
  /** Responds with the console's page for any URL. Throws NOT_FOUND until it has been built. */
  showPage: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
}

/** The person's choice, made by console/words/language.ts. */
const LANGUAGE_COOKIE = /(?:^|;\s*)foyer_language=([a-z]{2})(?:;|$)/
const ACCEPTED = /^([a-z]{2,3})(?:-[a-z\d-]+)?$/
const ACCEPTED_MAX = 20

/** The languages that a browser asks for, the chosen or most wanted one first. */
const wantedLanguages = ({
  cookie,
  'accept-language': accepted = '',
}: FastifyRequest['headers']): string[] => {
  const chosen = LANGUAGE_COOKIE.exec(cookie ?? '')?.[1]
  const byBrowser = accepted
    .toLowerCase()
    .split(',', ACCEPTED_MAX)
    .map((part) => {
      const [tag = '', weight] = part.trim().split(/;\s*q=/)
      return { language: ACCEPTED.exec(tag)?.[1], weight: weight === undefined ? 1 : Number(weight) }
    })
    .filter(({ language, weight }) => language && weight > 0)
    .sort((one, other) => other.weight - one.weight)
  return [chosen, ...byBrowser.map(({ language }) => language)].filter((language) => language !== undefined)
}

export const makeConsolePages = (directory: string): ConsolePages => {
  // The languages are those that were built; a browser's header can't name others.
  const pages = new Map<string, ReturnType<typeof keepFile>>()
  const pageIn = (language: string) => {
    const kept = pages.get(language)
    if (kept) return kept
    const path = join(directory, language === 'en' ? 'index.html' : `index.${language}.html`)
    if (!existsSync(path)) return undefined
    const page = keepFile(path)
    pages.set(language, page)
    return page
  }
  const pageFor = (request: FastifyRequest) => {
    for (const language of wantedLanguages(request.headers)) {
      const page = pageIn(language)
      if (page) return page
    }
    return pageIn('en') ?? keepFile(join(directory, 'index.html'))
  }
  return {
    isScreen: ({ method, url, headers }) => {
      const path = url.split('?', 1)[0]!
      return (
        (method === 'GET' || method === 'HEAD') &&
        (headers.accept ?? '').includes('text/html') &&
        isScreenPath(path) &&
        existsSync(join(directory, 'index.html'))
      )
    },
    showPage: async (request, reply) => {
      const { etag, bodies } = await pageFor(request)()
      reply.headers({ ...PAGE_HEADERS, etag, vary: 'Accept-Encoding, Accept-Language, Cookie' })
      if (hasVersion(request.headers['if-none-match'], etag)) return reply.code(304).send()
      const encoding = chooseEncoding(request.headers['accept-encoding'])
      if (encoding !== 'identity') reply.header('content-encoding', encoding)
      return reply.type(TYPES.html!).send(bodies[encoding])
    },
  }
}

export const registerConsolePages = (app: FastifyInstance, pages: ConsolePages, directory: string): void => {
  const schema = { hide: true }
  const kept = new Map<string, ReturnType<typeof keepFile>>()

  app.get('/', { schema }, (request, reply) =>
    existsSync(join(directory, 'index.html')) ? pages.showPage(request, reply) : reply.redirect('/docs'),
  )

  app.get(MAIL_FRAME_PATH, { schema }, (_request, reply) =>
    reply.headers(MAIL_FRAME_HEADERS).type(TYPES.html!).send(MAIL_FRAME),
  )

  for (const name of ROOT_FILES) {
    const path = join(directory, name)
    const file = keepFile(path)
    app.get(`/${name}`, { schema }, async (request, reply) => {
      if (!existsSync(path)) throw new ApiError('NOT_FOUND')
      const { etag, bodies } = await file()
      reply.headers({ ...ROOT_FILE_HEADERS, etag, vary: 'Accept-Encoding' })
      if (hasVersion(request.headers['if-none-match'], etag)) return reply.code(304).send()
      const encoding = chooseEncoding(request.headers['accept-encoding'])
      if (encoding !== 'identity') reply.header('content-encoding', encoding)
      return reply.type(TYPES[ASSET_PATTERN.exec(name)![1]!]!).send(bodies[encoding])
    })
  }

  app.get('/assets/:name', { schema }, async (request, reply) => {
    const { name } = request.params as { name: string }
    const type = TYPES[ASSET_PATTERN.exec(name)?.[1] ?? '']
    const path = join(directory, 'assets', name)
    // Missing files are not cached, so that requests for made-up names can't fill memory.
    if (!type || !existsSync(path)) throw new ApiError('NOT_FOUND')
    const file = kept.get(name) ?? keepFile(path)
    kept.set(name, file)
    const { bodies } = await file()
    const encoding = chooseEncoding(request.headers['accept-encoding'])
    if (encoding !== 'identity') reply.header('content-encoding', encoding)
    return reply
      .headers({ ...ASSET_HEADERS, vary: 'Accept-Encoding' })
      .type(type)
      .send(bodies[encoding])
  })
}
