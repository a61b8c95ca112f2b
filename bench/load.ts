// A load generator that costs little compared with what it measures: keep-alive connections that each send a request,
// read the response by its Content-Length, and send the next.
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

type Load = { perSecond: number; p50Ms: number; p99Ms: number }

export type Request = { method: string; path: string; headers: Record<string, string>; body?: string }

const HEAD_END = Buffer.from('\r\n\r\n')

const toBytes = ({ method, path, headers, body = '' }: Request): string =>
  `${method} ${path} HTTP/1.1\r\nHost: bench\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join(
      '',
    )}${body ? `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` : ''}\r\n${body}`

const quantile = (sorted: Float64Array | number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

/** Sends one request on a socket and returns the body. Throws on any status other than 200. */
const exchange = (socket: Socket, request: string): Promise<string> =>
  new Promise((done, fail) => {
    let received: Buffer = Buffer.alloc(0)
    let endsAt = -1
    let bodyFrom = -1
    const finish = (settle: () => void) => {
      socket.off('data', onData)
      socket.off('error', onError)
      socket.off('close', onClose)
      settle()
    }
    const onError = (error: Error) => finish(() => fail(error))
    const onClose = () => finish(() => fail(new Error('the server closed the connection')))
    const onData = (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      if (endsAt < 0) {
        const headEnd = received.indexOf(HEAD_END)
        if (headEnd < 0) return
        const head = received.toString('latin1', 0, headEnd)
        const length = /content-length: (\d+)/i.exec(head)
        if (!length) return finish(() => fail(new Error(`no Content-Length: ${head}`)))
        bodyFrom = headEnd + HEAD_END.length
        endsAt = bodyFrom + Number(length[1])
      }
      if (received.length < endsAt) return
      const body = received.toString('utf8', bodyFrom, endsAt)
      const status = received.toString('latin1', 9, 12)
      finish(() => (status === '200' ? done(body) : fail(new Error(`${status}: ${body.slice(0, 300)}`))))
    }
    socket.on('data', onData)
    socket.on('error', onError)
    socket.on('close', onClose)
    socket.write(request)
  })

const open = (port: number): Promise<Socket> =>
  new Promise((done, fail) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.once('connect', () => done(socket))
    socket.once('error', fail)
  })

/** Keeps `connections` busy for the given time; `next` creates each request. */
export const run = async (
  port: number,
  { connections, ms, next }: { connections: number; ms: number; next: () => Request },
): Promise<Load> => {
  const times: number[] = []
  const startedMs = performance.now()
  const keepBusy = async (): Promise<void> => {
    const socket = await open(port)
    try {
      while (performance.now() - startedMs < ms) {
        const request = toBytes(next())
        const sentMs = performance.now()
        await exchange(socket, request)
        times.push(performance.now() - sentMs)
      }
    } finally {
      socket.destroy()
    }
  }
  await Promise.all(Array.from({ length: connections }, keepBusy))
  const seconds = (performance.now() - startedMs) / 1000
  times.sort((a, b) => a - b)
  return { perSecond: times.length / seconds, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) }
}

/** Sends requests at a fixed rate, on as many connections as needed; each is timed from when it was due. */
export const paced = async (
  port: number,
  { perSecond, ms, next }: { perSecond: number; ms: number; next: () => Request },
): Promise<Load> => {
  const times: number[] = []
  const idle: Socket[] = []
  const under: Promise<void>[] = []
  const startedMs = performance.now()
  /** The most recently used one: the server closes connections that have been idle for long. */
  const take = (): Socket | undefined => {
    const socket = idle.pop()
    return socket?.destroyed ? take() : socket
  }
  const send = async (dueMs: number): Promise<void> => {
    const socket = take() ?? (await open(port))
    await exchange(socket, toBytes(next()))
    times.push(performance.now() - dueMs)
    idle.push(socket)
  }
  const total = Math.round((perSecond * ms) / 1000)
  for (let count = 0; count < total; count++) {
    const dueMs = startedMs + (count * 1000) / perSecond
    const waitMs = dueMs - performance.now()
    if (waitMs > 1) await delay(waitMs)
    under.push(send(dueMs))
  }
  await Promise.all(under)
  const seconds = (performance.now() - startedMs) / 1000
  for (const socket of idle) socket.destroy()
  times.sort((a, b) => a - b)
  return { perSecond: times.length / seconds, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) }
}

/** Sends one request and times it. */
export const once = async (port: number, request: Request): Promise<{ ms: number; body: string }> => {
  const socket = await open(port)
  try {
    const sentMs = performance.now()
    const body = await exchange(socket, toBytes(request))
    return { ms: performance.now() - sentMs, body }
  } finally {
    socket.destroy()
  }
}

export const median = (values: number[]): number =>
  quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  )
