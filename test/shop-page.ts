// A shop's page with the chat box, for tests in a browser.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

/** Serves the page until the tests of the file are over. Returns its origin; `chat` is asked with each request. */
export const serveShop = async (chat: () => { base: string; channelId: string }): Promise<string> => {
  const server = createServer((_request, response) => {
    const { base, channelId } = chat()
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(
      `<!doctype html><title>Shop</title><body><p>Pots</p>
        <script async src="${base}/widget.js" data-channel="${channelId}" data-name="Ann"></script>`,
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  // A server that listens on a port has such an address.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
