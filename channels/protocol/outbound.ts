// The guard at every connection to an address that an admin entered or a provider named. What leads to this machine or
// to a private network is refused as the connection is made, after the name was resolved and for the very address that
// is connected to, so a name that changes its address in between gains nothing. Only the operator makes exceptions.
import { type LookupAddress, lookup as resolveName } from 'node:dns'
import { BlockList, connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { DeliveryError } from '../contract/channel.ts'

/** What may be reached in spite of the guard: a host by its name, or the addresses of a network; all its ports or one. */
export type OutboundRule =
  | { host: string; port: number | null }
  | { network: string; prefix: number; port: number | null }

/**
 * https://www.iana.org/assignments/iana-ipv4-special-registry and …/iana-ipv6-special-registry. BlockList sees through
 * IPv4 addresses mapped into IPv6 (::ffff:0:0/96), but through no other form that carries one: translated (64:ff9b::/96,
 * ::ffff:0:0:0/96), tunnelled (2001::/32, 2002::/16), compatible (::/96).
 */
const REFUSED_NETWORKS = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6')

const refused = new BlockList()
for (const [network, prefix] of REFUSED_NETWORKS) refused.addSubnet(network, prefix, familyOf(network))

/** The address of a connection that was refused, for the operator's log: whoever entered it is not told. */
export type Refusal = { host: string; port: number; addresses: string[] }

type Resolve = (
  host: string,
  options: { all: true; family?: number; hints?: number },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

type Guard = {
  /** Exceptions of the operator's; none are built in. */
  allow: readonly OutboundRule[]
  onRefused?: (refusal: Refusal) => void
  /** Left out, the system's. */
  resolve?: Resolve
}

const resolveBySystem: Resolve = (host, options, callback) =>
  resolveName(host, { ...options, all: true }, callback)

let guard: Guard = { allow: [] }

/** Sets the guard of this process. Until then it makes no exceptions. */
export const configureOutbound = (given: Guard): void => {
  guard = given
}

/** One more exception: the host and port of this URL. */
export const allowOutbound = (url: string): void => {
  const { hostname, port } = new URL(url)
  const host = bare(hostname)
  const rule = { port: Number(port) || null }
  guard = {
    ...guard,
    allow: [
      ...guard.allow,
      isIP(host) ? { network: host, prefix: isIP(host) === 4 ? 32 : 128, ...rule } : { host, ...rule },
    ],
  }
}

/** Its message is for people and names no address. Trying again does not help, until the operator allows the address. */
export class AddressNotAllowed extends DeliveryError {
  constructor() {
    super(
      'refused',
      'ADDRESS_NOT_ALLOWED',
      'Connections to this address aren’t allowed. Enter a public address, or ask whoever runs Foyer to add it to OUTBOUND_ALLOW.',
      { concerns: 'account' },
    )
    this.name = 'AddressNotAllowed'
  }
}

/**
 * What a connection is opened with; give it to net.connect, tls.connect or http.request. Throws AddressNotAllowed where
 * the host is an address that is refused: Node looks up names only. For a name the look-up fails with it.
 */
export const guardConnection = (host: string, port: number): { lookup: LookupFunction } => {
  const literal = bare(host)
  if (isIP(literal) && !isAllowed(literal, literal, port)) throw refuse(literal, port, [literal])
  return { lookup: lookupFor(port) }
}

/** A connected socket. Rejects with AddressNotAllowed, or as net.connect does. */
export const connectOutbound = ({
  host,
  port,
  timeoutMs,
}: {
  host: string
  port: number
  timeoutMs: number
}): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: bare(host), port, ...guardConnection(host, port) })
    const timer = setTimeout(
      () => socket.destroy(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' })),
      timeoutMs,
    )
    socket.once('connect', () => {
      clearTimeout(timer)
      socket.off('error', reject)
      resolve(socket)
    })
    socket.once('error', reject)
    socket.once('close', () => clearTimeout(timer))
  })

const lookupFor =
  (port: number): LookupFunction =>
  (host, options, callback) => {
    const { resolve = resolveBySystem } = guard
    const { hints } = options
    const family = options.family === 'IPv4' ? 4 : options.family === 'IPv6' ? 6 : options.family
    resolve(
      host,
      { all: true, ...(family !== undefined && { family }), ...(hints !== undefined && { hints }) },
      (error, found) => {
        if (error) return callback(error, [])
        const allowed = found.filter(({ address }) => isAllowed(host, address, port))
        const [first] = allowed
        if (!first)
          callback(
            refuse(
              host,
              port,
              found.map(({ address }) => address),
            ),
            [],
          )
        else if (options.all) callback(null, allowed)
        else callback(null, first.address, first.family)
      },
    )
  }

const refuse = (host: string, port: number, addresses: string[]): AddressNotAllowed => {
  guard.onRefused?.({ host, port, addresses })
  return new AddressNotAllowed()
}

const isAllowed = (host: string, given: string, port: number): boolean => {
  // fe80::1%eth0
  const address = given.split('%')[0]!
  if (!refused.check(address, familyOf(address)) && !isOwn(address)) return true
  return guard.allow.some((rule) => {
    if (rule.port !== null && rule.port !== port) return false
    if ('host' in rule) return rule.host === nameOf(host)
    const network = new BlockList()
    network.addSubnet(rule.network, rule.prefix, familyOf(rule.network))
    return network.check(address, familyOf(address))
  })
}

/** An address of this machine leads to everything that listens here, past whatever keeps strangers from its ports. */
const isOwn = (address: string): boolean => {
  const own = new BlockList()
  for (const one of Object.values(networkInterfaces()).flat())
    if (one) own.addAddress(one.address.split('%')[0]!, familyOf(one.address.split('%')[0]!))
  return own.check(address, familyOf(address))
}

const nameOf = (host: string): string => host.toLowerCase().replace(/\.$/, '')

const bare = (host: string): string => host.replace(/^\[|\]$/g, '')
