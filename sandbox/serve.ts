// One server for everything: the providers' APIs, the controls, and the page with its controls under /sandbox.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerControl } from './control-routes.ts'
import { answerJson } from './http.ts'
import { answerPage } from './serve-page.ts'

export type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>

const KEEP_ALIVE_MS = 60_000

type Served = Parameters<typeof answerControl>[0] & {
  /** Who answers an address, when it is a provider's. */
  providerAt: (path: string) => Answer | undefined
}

export const serve = async (
  { providerAt, ...controls }: Served,
  { port, host }: { port: number; host: string },
): Promise<{ url: string; close: () => Promise<void> }> => {
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0]!
    // Behind Foyer the page lives at /sandbox/; here it does too, with its controls and nothing else.
    const isPage = path === '/sandbox' || path.startsWith('/sandbox/')
    if (isPage) request.url = request.url!.slice('/sandbox'.length).replace(/^(?!\/)/, '/')
    const provider = isPage ? undefined : providerAt(path)
    const answered = request.url!.startsWith('/control/')
      ? answerControl(controls, request, response)
      : provider
        ? provider(request, response)
        : answerPage(path, request, response)
    answered.catch((error: unknown) => {
      // A caller that went away is no failure of ours; anything else is, and must be seen.
      if (response.destroyed || request.destroyed) return
      console.error(error)
      answerJson(response, 500, { error: 'the sandbox failed; its standard error says why' })
    })
  })
  server.keepAliveTimeout = KEEP_ALIVE_MS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const { address, port: taken, family } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
