import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** Ports that are free at the moment, each once. */
export const freePorts = async (count: number): Promise<number[]> => {
  const probes = await Promise.all(
    Array.from({ length: count }, async () => {
      const probe = createServer()
      await once(probe.listen(0, '127.0.0.1'), 'listening')
      return probe
    }),
  )
  return Promise.all(
    probes.map(async (probe) => {
      const { port } = probe.address() as AddressInfo
      await new Promise((done) => probe.close(done))
      return port
    }),
  )
}
