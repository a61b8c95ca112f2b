// Two processes behind a proxy are restarted one after the other under load.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import {
  atTheEnd,
  call,
  freePort,
  makeWorkspace,
  type Running,
  serve,
  temporaryDirectory,
  until,
} from './foyer.ts'

const DRAIN_DELAY_SECONDS = 1
const CLIENTS = 8

const env = {
  DATA_DIR: temporaryDirectory(),
  TRUST_PROXY: 'loopback',
  DRAIN_DELAY: String(DRAIN_DELAY_SECONDS),
}
const { secret } = await makeWorkspace(env)
const ports = [await freePort(), await freePort()]
const start = (index: number): Promise<Running> => serve({ ...env, PORT: String(ports[index]) })
const processes = [await start(0), await start(1)]

/** Like nginx: alternates, keeps connections open, and only uses the other one if it can't connect. */
const agent = new Agent({ keepAlive: true })
let turn = 0
const forward = (
  incoming: IncomingMessage,
  body: Buffer,
  outgoing: ServerResponse,
  first: number,
  tries = 1,
): void => {
  const port = ports[(first + tries) % ports.length]
  const { method, url, headers } = incoming
  const passed = request({ agent, port, host: '127.0.0.1', method, path: url, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(outgoing)
  })
  passed.on('error', (error: NodeJS.ErrnoException) => {
    if (error.syscall === 'connect' && tries < ports.length)
      return forward(incoming, body, outgoing, first, tries + 1)
    outgoing.writeHead(502, { 'content-type': 'text/plain' }).end(error.message)
  })
  passed.end(body)
}
const proxy = createServer(async (incoming, outgoing) => {
  forward(incoming, await buffer(incoming), outgoing, turn++)
})
proxy.listen(0, '127.0.0.1')
await once(proxy, 'listening')
const address = proxy.address()
assert.ok(address && typeof address === 'object')
const proxyUrl = `http://127.0.0.1:${address.port}`
atTheEnd(() => {
  proxy.closeAllConnections()
  proxy.close()
  agent.destroy()
})

const isReady = (index: number) =>
  call(`http://127.0.0.1:${ports[index]}`, null, 'GET', '/readyz').then(
    ({ status }) => status === 200,
    () => false,
  )

test('a rolling restart behind a proxy loses no request', async () => {
  const failures: string[] = []
  let requests = 0
  let isOver = false
  const client = async (number: number): Promise<void> => {
    while (!isOver) {
      const isWrite = requests++ % 2 === 0
      const { status, body } = isWrite
        ? await call(proxyUrl, secret, 'POST', '/api/v1/conversations', {
            email: `c${number}@example.com`,
            channel: 'web',
          })
        : await call(proxyUrl, secret, 'GET', '/api/v1/contacts')
      if (status >= 500) failures.push(`${isWrite ? 'POST' : 'GET'} ${status} ${JSON.stringify(body)}`)
    }
  }
  const clients = Array.from({ length: CLIENTS }, (_, number) => client(number))
  for (const [index, running] of processes.entries()) {
    const before = requests
    await until('requests', () => requests > before + 100, 60_000)
    const stopping = running.stop('SIGTERM')
    await until('readiness to turn', async () => !(await isReady(index)))
    const { code } = await stopping
    assert.equal(code, 0)
    processes[index] = await start(index)
    await until('the new one', () => isReady(index), 60_000)
  }
  isOver = true
  await Promise.all(clients)
  console.log(`${requests} requests`)
  assert.deepEqual(failures.slice(0, 5), [])
})

test('a draining process says so first, keeps serving, and tells each client to close its connection', async () => {
  const [running] = processes
  assert.ok(running)
  const began = performance.now()
  const stopping = running.stop('SIGTERM')
  const answer = await until('readiness to turn', async () => {
    const answer = await call(running.url, null, 'GET', '/readyz')
    return answer.status === 503 && answer
  })
  assert.equal(answer.body.status, 'stopping')
  const served = await call(running.url, secret, 'GET', '/api/v1/contacts')
  assert.equal(served.status, 200)
  assert.equal(served.headers.get('connection'), 'close')
  assert.equal((await stopping).code, 0)
  assert.ok(performance.now() - began >= DRAIN_DELAY_SECONDS * 1_000)
})
