// Where the process listens: checking the port first, plain error messages, and its local address.
import { type AddressInfo, connect, createServer } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { StartError } from '../platform/start-error.ts'
import type { Config } from './config.ts'
import type { Log } from './log.ts'

/** A listener that doesn't even accept has its queue full. */
const CONNECT_MAX_MS = 1_000

/**
 * Checks address and port; replaces port 0 by a specific free one, also in the public URL derived from it. It never
 * listens on a port that clients know: what they sent until the real server listens there would be lost.
 */
export const choosePort = async (config: Config): Promise<Config> => {
  const probe = createServer()
  await new Promise<void>((done, fail) => {
    probe.once('error', (error) => fail(explainListen(error, config)))
    probe.listen({ port: 0, host: config.host }, done)
  })
  const { port: free } = probe.address() as AddressInfo
  await new Promise((done) => probe.close(done))
  if (config.port !== 0 && (await isTaken(config)))
    throw explainListen(Object.assign(new Error('the port is in use'), { code: 'EADDRINUSE' }), config)
  const port = config.port || free
  return { ...config, port, publicUrl: config.publicUrl.replace(/:0$/, `:${port}`) }
}

const isTaken = ({ port, host }: Config): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect({ port, host, timeout: CONNECT_MAX_MS })
    const answer = (isTaken: boolean) => {
      socket.destroy()
      done(isTaken)
    }
    socket.once('connect', () => answer(true))
    socket.once('timeout', () => answer(true))
    socket.once('error', () => answer(false))
  })

/** A worker continues without its health page if another process on the machine has the port. */
export const listenUnlessTaken = async (
  app: FastifyInstance,
  config: Config,
  log: Log,
): Promise<string | null> => {
  try {
    await app.listen({ port: config.port, host: config.host })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw explainListen(error as Error, config)
    log.info(
      { port: config.port },
      'another process is using the port; set PORT to serve the health checks of this worker',
    )
    return null
  }
  return ownUrlOf({ ...config, port: (app.server.address() as AddressInfo).port })
}

export const explainListen = (error: NodeJS.ErrnoException, { port, host }: Config): Error => {
  switch (error.code) {
    case 'EADDRINUSE':
      return new StartError(
        `Port ${port} on ${host} is in use by another program. Stop it, or set PORT to another port.`,
        { cause: error },
      )
    case 'EACCES':
      return new StartError(`Port ${port} cannot be used by this user. Set PORT to a port above 1023.`, {
        cause: error,
      })
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return new StartError(`HOST is ${host}, which is not an address of this machine.`, { cause: error })
    default:
      return error
  }
}

/** Where local programs reach this process, whatever its public URL. */
export const ownUrlOf = ({ host, port, tls }: Config): string => {
  const reached = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `${tls ? 'https' : 'http'}://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}
