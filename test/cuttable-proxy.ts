// A proxy to a TCP server that can be cut: with an error, as when a server restarts, or silently, as when a firewall
// forgets its connections.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

type Pair = { near: Socket; far: Socket }

export const openProxy = async ({ host, port }: { host: string; port: number }) => {
  const pairs = new Set<Pair>()
  const forgotten: Pair[] = []
  let isFrozen = false
  const server = createServer((near) => {
    const far = connect(port, host)
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
  const destroy = ({ near, far }: Pair): void => {
    near.destroy()
    far.destroy()
  }
  const drop = (): void => {
    for (const pair of pairs) destroy(pair)
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    // A server that listens on a port has such an address.
    port: (server.address() as AddressInfo).port,
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
        forgotten.push(pair)
      }
    },
    drop,
    close: (): void => {
      server.close()
      drop()
      forgotten.forEach(destroy)
    },
  }
}
