// Whether TRUST_PROXY fits how requests arrive. With an untrusted proxy everyone counts as one caller; with a proxy
// that can be bypassed callers choose their own address. Neither fails visibly, so each is logged once.
import { BlockList, isIPv6 } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from './config.ts'

/** The networks that an operator's own proxy is usually in. */
const nearby = new BlockList()
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  nearby.addSubnet(network, prefix, 'ipv4')
nearby.addAddress('::1', 'ipv6')
nearby.addSubnet('fc00::', 7, 'ipv6')
nearby.addSubnet('fe80::', 10, 'ipv6')

const isNearby = (address: string): boolean => nearby.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')

const UNTRUSTED =
  'a request came with X-Forwarded-For from an address that is not in TRUST_PROXY, so rate limits use its own address: ' +
  'if it is your proxy, everyone behind it shares one limit until its address is added to TRUST_PROXY'
const AROUND =
  'a request came directly from a public address, and TRUST_PROXY is a number, which trusts any caller: if callers ' +
  'can reach Foyer without your proxy, they can fake the address used for rate limits; set TRUST_PROXY to the addresses of the proxy'

/** Logs each of the two at its first request. */
export const watchProxies = (app: FastifyInstance, trustProxy: Config['trustProxy']): void => {
  if (trustProxy === true) return
  let isTold = false
  const problemOf = ({ headers, ip, raw }: FastifyRequest): string | undefined => {
    const peer = raw.socket.remoteAddress
    if (peer === undefined || headers['x-forwarded-for'] === undefined) return undefined
    if (typeof trustProxy === 'number' && trustProxy > 0) return isNearby(peer) ? undefined : AROUND
    return ip === peer ? UNTRUSTED : undefined
  }
  app.addHook('onRequest', (request, _reply, done) => {
    const problem = isTold ? undefined : problemOf(request)
    if (problem) {
      isTold = true
      request.log.warn({ peer: request.raw.socket.remoteAddress }, problem)
    }
    done()
  })
}
