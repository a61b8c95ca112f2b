// The bridge for clients that start programs, with the library's client: once as a program, once in this process.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { after, test } from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { startApp } from '../test/app.ts'
import { PROGRAM } from '../test/program.ts'
import { bridge } from './mcp-command.ts'

const app = await startApp()
const workspace = await app.make.workspace()
const conversation = await app.make.conversation(workspace.id)
const origin = new URL(await app.app.listen({ port: 0, host: '127.0.0.1' }))

/** In front of the server, so that it can be away. `cuts` are how many connections break once something was sent. */
const proxy = { server: null as Server | null, port: 0, cuts: 0, sockets: new Set<Socket>() }
const start = async (): Promise<void> => {
  proxy.server = createServer((client) => {
    proxy.sockets.add(client)
    client.on('error', () => {})
    if (proxy.cuts > 0) {
      proxy.cuts--
      client.once('data', () => client.destroy())
      return
    }
    const server = connect(Number(origin.port), '127.0.0.1')
    server.on('error', () => {})
    client.on('close', () => server.destroy())
    server.on('close', () => client.destroy())
    client.pipe(server).pipe(client)
  })
  proxy.server.listen(proxy.port, '127.0.0.1')
  await once(proxy.server, 'listening')
  proxy.port = (proxy.server.address() as { port: number }).port
}
const stop = async (): Promise<void> => {
  for (const socket of proxy.sockets) socket.destroy()
  proxy.server?.close()
  await once(proxy.server!, 'close')
}
await start()
after(stop)

const open = async (mode: 'auto' | 'legacy') => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp'],
    env: {
      PATH: process.env.PATH ?? '',
      FOYER_TOKEN: workspace.token,
      FOYER_URL: `http://127.0.0.1:${proxy.port}`,
    },
    stderr: 'pipe',
  })
  const said: string[] = []
  transport.stderr?.on('data', (chunk) => said.push(String(chunk)))
  const client = new Client({ name: 'Test client', version: '7' }, { versionNegotiation: { mode } })
  await client.connect(transport)
  after(() => client.close())
  const find = async () =>
    (await client.callTool({ name: 'find_conversations', arguments: {} })).structuredContent
  return { client, said, find }
}

for (const mode of ['legacy', 'auto'] as const)
  test(`a client of ${mode === 'legacy' ? '2025' : '2026'} works, also after the server was away`, async () => {
    const { client, said, find } = await open(mode)
    assert.equal((client.getNegotiatedProtocolVersion() ?? '') >= '2026', mode === 'auto')
    assert.equal((await client.listTools()).tools[0]!.name, 'find_conversations')
    const found = await find()
    assert.match(JSON.stringify(found), new RegExp(conversation.id))
    await stop()
    const waiting = find()
    while (!said.join('').includes('Trying again')) await new Promise(setImmediate)
    await start()
    assert.deepEqual(await waiting, found)
    // Sent, but without a response: only the client can know whether to do it again.
    await stop()
    proxy.cuts = 1
    await start()
    await assert.rejects(find(), /was lost\. Check whether it was done/)
    assert.deepEqual(await find(), found)
    assert.ok(!said.join('').includes(workspace.token))
  })

/** What is on standard output after these lines. */
const pass = async (lines: string[], url: string, token: string) => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const printed: string[] = []
  const bridging = bridge(new StdioServerTransport(input, output), {
    url: new URL(url),
    token,
    patienceMs: 0,
    print: (line) => printed.push(line),
  })
  for (const line of lines) input.write(`${line}\n`)
  const [chunk] = await once(output, 'data')
  input.end()
  await bridging
  return { answer: JSON.parse(String(chunk)), printed }
}

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 'a', method: 'tools/list', params: {} })

test('a server that stays away and a token that is refused are errors of the request, and don’t end it', async () => {
  const away = await pass(['no JSON', LIST], 'http://127.0.0.1:1024', 'x')
  assert.deepEqual(away.answer, {
    jsonrpc: '2.0',
    id: 'a',
    error: { code: -32_000, message: 'http://127.0.0.1:1024 can’t be reached. Try again later.' },
  })
  const refused = await pass([LIST], origin.href, 'wrong')
  assert.match(refused.answer.error.message, /responded 401: \S/)
  assert.ok(!refused.printed.join().includes('wrong'))
})

test('a request that is cancelled gets no response, and the next one does', async () => {
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } }
  const next = JSON.stringify({ jsonrpc: '2.0', id: 'b', method: 'tools/list', params: {} })
  const { answer } = await pass([LIST, JSON.stringify(cancel), next], origin.href, workspace.token)
  assert.equal(answer.id, 'b')
})
