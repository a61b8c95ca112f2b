// Redis or Valkey with Sentinel: when the primary dies, the connections go to the one that replaces it.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { atTheEnd } from '../../test/at-the-end.ts'
import { freePort } from '../../test/e2e/foyer.ts'
import { until } from '../../test/until.ts'
import { connectRedis } from './redis.ts'

const program = ['/usr/bin/valkey-server', '/usr/bin/redis-server'].find((path) => existsSync(path))
const NAME = 'foyer'
const FAILOVER_MAX_MS = 60_000

const startSentinels = async () => {
  const directory = mkdtempSync(join(tmpdir(), 'foyer-sentinel-'))
  const children: ChildProcess[] = []
  atTheEnd(async () => {
    for (const child of children) child.kill('SIGKILL')
    rmSync(directory, { recursive: true, force: true })
  })
  const start = (...args: string[]): ChildProcess => {
    const child = spawn(program!, args, { cwd: directory, stdio: 'ignore' })
    children.push(child)
    return child
  }
  const [first, second, ...sentinels] = await Promise.all([freePort(), freePort(), freePort(), freePort()])
  const common = ['--bind', '127.0.0.1', '--save', '']
  const primary = start('--port', String(first), ...common)
  start('--port', String(second), ...common, '--replicaof', '127.0.0.1', String(first))
  for (const port of sentinels) {
    const file = join(directory, `${port}.conf`)
    const settings = [
      `port ${port}`,
      'bind 127.0.0.1',
      `sentinel monitor ${NAME} 127.0.0.1 ${first} 2`,
      `sentinel down-after-milliseconds ${NAME} 1000`,
      `sentinel failover-timeout ${NAME} 5000`,
    ]
    writeFileSync(file, settings.join('\n'))
    start(file, '--sentinel')
  }
  return { primary, url: `redis+sentinel://${sentinels.map((port) => `127.0.0.1:${port}`).join()}/${NAME}` }
}

const silent = { info: () => {}, warn: () => {} }

test('after the Sentinels have replaced the primary, counts and announcements go to the new one', {
  skip: program === undefined && 'there is no Redis (apt-get install redis-server)',
}, async () => {
  const { primary, url } = await startSentinels()
  const { commands, events, close } = await connectRedis(url, silent)
  const subscriber = events.duplicate()
  atTheEnd(() => {
    close()
    subscriber.disconnect()
  })
  let heard = ''
  subscriber.on('error', () => {})
  subscriber.on('message', (_channel, text) => {
    heard = text
  })
  const count = () => commands.incr('count').catch(() => undefined)
  await until(async () => (await count()) !== undefined, 'the first count')
  await subscriber.subscribe('news')
  // The Sentinels have to know the replica and each other.
  await until(async () => /slave0:.*state=online/.test(await commands.info('replication')), 'the replica')
  await until(async () => {
    const [, sentinel] = /(127\.0\.0\.1:\d+)/.exec(url)!
    const asked = (await connectSentinel(sentinel!)).join(' ')
    return asked.includes('num-slaves 1') && asked.includes('num-other-sentinels 1')
  }, 'the Sentinels')
  primary.kill('SIGKILL')
  await until(async () => (await count()) === undefined, 'the loss')
  await until(async () => (await count()) !== undefined, 'the new primary', FAILOVER_MAX_MS)
  await until(
    async () => {
      await events.publish('news', 'after')
      await delay(50)
      return heard === 'after'
    },
    'the announcement',
    FAILOVER_MAX_MS,
  )
})

test('a start does not wait for Sentinels that are away', async () => {
  const { commands, close } = await connectRedis(
    `redis+sentinel://127.0.0.1:${await freePort()}/${NAME}`,
    silent,
  )
  atTheEnd(close)
  await assert.rejects(commands.incr('count'))
})

/** What a Sentinel knows of the primary, as it prints it. */
const connectSentinel = async (address: string): Promise<string[]> => {
  const { Redis } = await import('ioredis')
  const sentinel = new Redis(`redis://${address}`, { lazyConnect: true, maxRetriesPerRequest: 0 })
  sentinel.on('error', () => {})
  try {
    await sentinel.connect()
    return ((await sentinel.call('SENTINEL', 'MASTER', NAME)) as string[]).map(String)
  } catch {
    return []
  } finally {
    sentinel.disconnect()
  }
}
