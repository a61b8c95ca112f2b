import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Redis } from 'ioredis'
import { until } from '../../inbound/web/testing/visitor.ts'
import { makeEphemeral } from './ephemeral.ts'

const typing = { type: 'typing', isTyping: true }

test('within a process each listener receives an event once, until it unsubscribes', async () => {
  const ephemeral = makeEphemeral()
  const heard: string[] = []
  const stop = ephemeral.subscribe(() => heard.push('one'))
  ephemeral.subscribe(() => heard.push('two'))
  ephemeral.publish(typing)
  stop()
  ephemeral.publish(typing)
  assert.deepEqual(heard, ['one', 'two', 'two'])
  await ephemeral.close()
})

const executable = ['/usr/bin/redis-server', '/usr/bin/valkey-server'].find((path) => existsSync(path))
const skip = !executable && 'needs redis-server or valkey-server in /usr/bin'

test('processes exchange events through Redis, each once', { skip, timeout: 30_000 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'foyer-redis-'))
  const path = join(directory, 'redis.sock')
  const server = spawn(executable!, ['--port', '0', '--unixsocket', path, '--save', ''], { cwd: directory })
  const connections = [0, 1].map(
    () => new Redis({ path, maxRetriesPerRequest: null, retryStrategy: () => 20 }),
  )
  for (const connection of connections) connection.on('error', () => {})
  const [here, there] = connections.map((redis) => makeEphemeral<object>({ redis }))
  try {
    const heard = { here: 0, there: 0 }
    here!.subscribe(() => heard.here++)
    const arrived = new Promise<void>((resolve) => {
      there!.subscribe((event) => {
        if ('isTyping' in event) assert.deepEqual(event, typing)
        heard.there++
        resolve()
      })
    })
    // A subscription is under way for a moment; nothing tells when the other process has it.
    let sent = 0
    const sending = setInterval(() => {
      if (heard.there > 0) return
      here!.publish(typing)
      sent++
    }, 50)
    await arrived
    clearInterval(sending)
    const before = heard.there
    there!.publish({ type: 'presence' })
    await until(() => heard.here === sent + 1)
    // What it published came back to it over Redis by now, and was not told again.
    assert.equal(heard.there, before + 1)
  } finally {
    await Promise.all([here!.close(), there!.close()])
    for (const connection of connections) connection.disconnect()
    server.kill()
    rmSync(directory, { recursive: true, force: true })
  }
})
