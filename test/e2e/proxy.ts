// A proxy to PostgreSQL that a test can cut: with an error, as when a server restarts, or silently, as when a
// firewall forgets its connections.
import { connect, createServer, type Socket } from 'node:net'
import { atTheEnd, freePort } from './foyer.ts'

type Pair = { near: Socket; far: Socket }

export const startProxy = async (target: string) => {
  const { hostname, port } = new URL(target)
  const pairs = new Set<Pair>()
  let isFrozen = false
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    const pair = { near, far }
    pairs.add(pair)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (bytes) => to.write(bytes))
      from.on('error', () => {})
      from.on('close', () => {
        pairs.delete(pair)
        to.destroy()
      })
    }
    if (isFrozen) hold(pair)
  })
  const hold = ({ near, far }: Pair): void => {
    near.pause()
    far.pause()
  }
  const listenPort = await freePort()
  await new Promise<void>((done) => server.listen(listenPort, '127.0.0.1', done))
  const url = new URL(target)
  url.port = String(listenPort)
  const drop = (): void => {
    for (const { near, far } of pairs) {
      near.destroy()
      far.destroy()
    }
  }
  atTheEnd(() => {
    server.close()
    drop()
  })
  return {
    url: url.toString(),
    /** Blocks both directions of all connections, including new ones; all stay open. */
    freeze: () => {
      isFrozen = true
      for (const pair of pairs) hold(pair)
    },
    /** Delivers what was held back. */
    thaw: () => {
      isFrozen = false
      for (const { near, far } of pairs) {
        near.resume()
        far.resume()
      }
    },
    /** Current connections stay open but go silent; new ones work. */
    forget: () => {
      for (const pair of pairs) {
        hold(pair)
        pairs.delete(pair)
        atTheEnd(() => {
          pair.near.destroy()
          pair.far.destroy()
        })
      }
    },
    drop,
  }
}
