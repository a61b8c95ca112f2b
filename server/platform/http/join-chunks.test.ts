import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { joinChunks } from './join-chunks.ts'

/** What arrives, of requests whose bodies are read only after a while. */
const arrived: { body: string; pieces: number }[] = []
const server = createServer(async (request, response) => {
  await delay(100)
  const pieces: Buffer[] = []
  try {
    for await (const piece of request) pieces.push(piece)
  } catch {
    return
  }
  arrived.push({ body: Buffer.concat(pieces).toString(), pieces: pieces.length })
  response.end('taken')
})
joinChunks(server)
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo

after(() => server.close())

/** Sends a body in such chunks at once, and gives back what is answered. */
const send = async (chunks: string[]): Promise<string> => {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (data) => {
    answer += data
  })
  socket.on('error', () => {})
  const body = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')
  socket.write(
    `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${body}0\r\n\r\n`,
  )
  await new Promise((done) => socket.once('close', done))
  return answer
}

test('a body in chunks arrives whole, in few pieces, also when it is read late', async () => {
  for (const chunks of [
    Array.from({ length: 900 }, (_, at) => String(at % 10)),
    Array.from({ length: 3_000 }, (_, at) => String(at).padStart(20, '-')),
    ['a', 'b'.repeat(100_000), 'c'],
    [],
  ]) {
    const answer = await send(chunks)
    assert.match(answer, /taken/)
    const { body, pieces } = arrived.pop()!
    assert.equal(body, chunks.join(''))
    assert.ok(pieces <= 3 + body.length / 4_000, `${pieces} pieces of ${body.length} bytes`)
  }
})

test('a body of thousands of tiny chunks is cut off', async () => {
  assert.equal(await send(Array(20_000).fill('x')), '')
  assert.equal(arrived.length, 0)
})
