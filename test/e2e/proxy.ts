// A proxy to PostgreSQL that a test can cut.
import { openProxy } from '../cuttable-proxy.ts'
import { atTheEnd } from './foyer.ts'

export const startProxy = async (target: string) => {
  const { hostname, port } = new URL(target)
  const proxy = await openProxy({ host: hostname, port: Number(port) })
  atTheEnd(proxy.close)
  const url = new URL(target)
  url.port = String(proxy.port)
  return { url: url.toString(), ...proxy }
}
