// A client of its own for bench/feed.ts: holds as many calls as there are lines on standard input, each an address and a
// token, until it is ended.
import { request } from 'node:http'
import { createInterface } from 'node:readline'

for await (const line of createInterface({ input: process.stdin })) {
  const [url = '', token] = line.split(' ')
  request(url, { agent: false, headers: { authorization: `Bearer ${token}` } })
    .on('error', () => {})
    .end()
}
