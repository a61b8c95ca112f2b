// A website for tests, whose pages may do anything.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

type Page =
  | string
  | { status?: number; headers?: Record<string, string>; body?: string | Buffer }
  | ((request: IncomingMessage, response: ServerResponse) => void)

/** Serves pages by their path until the tests of the file are over; a path without a page is not found. */
export const serveSite = async (pages: Record<string, Page>) => {
  /** Of every request, in their order. */
  const requests: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    requests.push(path)
    const page = pages[path]
    if (typeof page === 'function') return page(request, response)
    const {
      status = page === undefined ? 404 : 200,
      headers = {},
      body = '',
    } = typeof page === 'object' ? page : { body: page }
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  // A server that listens on a port has such an address.
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { base, pages, requests }
}

/** A page with a title and paragraphs. */
export const htmlPage = (title: string, ...paragraphs: string[]): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><nav>Home</nav>
    <main><h1>${title}</h1>${paragraphs.map((text) => `<p>${text}</p>`).join('')}</main></body></html>`

/** A sitemap of these addresses. */
export const sitemap = (urls: string[]): { headers: Record<string, string>; body: string } => ({
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
    ${urls.map((url) => `<url><loc>${url.replaceAll('&', '&amp;')}</loc></url>`).join('\n')}</urlset>`,
})
