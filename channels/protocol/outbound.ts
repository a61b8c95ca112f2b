// Checks every connection to an address that an admin entered or a provider returned. Connections to this machine or a
// private network are refused when they are made, by the resolved address itself, so DNS rebinding doesn't help an
// attacker. Only the operator can make exceptions.
import { type LookupAddress, lookup as resolveName } from 'node:dns'
import { BlockList, connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { DeliveryError } from '../contract/channel.ts'

/** An exception: a host by name or a network, on all ports or one. */
export type OutboundRule =
  | { host: string; port: number | null }
  | { network: string; prefix: number; port: number | null }

/**
 * https://www.iana.org/assignments/iana-ipv4-special-registry and …/iana-ipv6-special-registry. BlockList recognises
 * IPv4-mapped IPv6 addresses (::ffff:0:0/96), but no other form that contains an IPv4 address: translated
 * (64:ff9b::/96, ::ffff:0:0:0/96), tunnelled (2001::/32, 2002::/16), compatible (::/96).
 */
const REFUSED_NETWORKS = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 32],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6')

const refused = new BlockList()
for (const [network, prefix] of REFUSED_NETWORKS) refused.addSubnet(network, prefix, familyOf(network))

/** Of a URL. Names are not resolved: only those that have no meaning on the internet are known to be private. */
export const isPrivateHost = (hostname: string): boolean => {
  const host = bare(hostname)
  if (isIP(host) !== 0) return refused.check(host, familyOf(host))
  return !host.includes('.') || /\.(localhost|local|internal|lan|home\.arpa)$/i.test(host)
}

/** A refused connection, for the operator's log; not shown to whoever entered the address. */
export type Refusal = { host: string; port: number; addresses: string[] }

type Resolve = (
  host: string,
  options: { all: true; family?: number; hints?: number },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

type Guard = {
  /** The operator's exceptions; none are built in. */
  allow: readonly OutboundRule[]
  onRefused?: (refusal: Refusal) => void
  /** Foyer's own address and stores: no request of a workspace's goes there, whatever the operator allows. */
  own?: readonly { host: string; port: number }[]
  /** By default, the system's. */
  resolve?: Resolve
}

const resolveBySystem: Resolve = (host, options, callback) =>
  resolveName(host, { ...options, all: true }, callback)

let guard: Guard = { allow: [] }

/** Configures this process. Until then, there are no exceptions. */
export const configureOutbound = (given: Guard): void => {
  guard = given
}

/** Adds an exception for the host and port of this URL. */
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

/** The message is shown to users and doesn't include the address. Retrying only helps once the operator allows it. */
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
 * By default, those of a name's addresses that pass are tried. `every`: all of them must pass, and Foyer's own services
 * are refused. `listed`: the operator must have listed each of them as well. `operator`: the operator's own setting, which
 * isn't checked.
 */
export type Strictness = 'any' | 'every' | 'listed' | 'operator'

/**
 * Options for net.connect, tls.connect or http.request. Throws AddressNotAllowed if the host is a refused IP address,
 * because Node only looks up names; for a name, the lookup fails with it.
 */
export const guardConnection = (
  host: string,
  port: number,
  strictness: Strictness = 'any',
): { lookup: LookupFunction } => {
  const literal = bare(host)
  if (isIP(literal) && !passes(literal, [literal], port, strictness)) throw refuse(literal, port, [literal])
  return { lookup: lookupFor(port, strictness) }
}

/** A resolver that doesn't answer by then is treated as a name that can't be found. */
const LOOKUP_TIMEOUT_MS = 3_000

/**
 * Looks up an address before it is stored, so that whoever entered it reads at once that it isn't allowed; each
 * connection is checked again. False if the name can't be found now. Throws AddressNotAllowed.
 */
export const checkAddress = async (host: string, port: number, strictness: Strictness): Promise<boolean> => {
  const { lookup } = guardConnection(host, port, strictness)
  if (isIP(bare(host))) return true
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), LOOKUP_TIMEOUT_MS)
    lookup(host, { all: true }, (error) => {
      clearTimeout(timer)
      if (error instanceof AddressNotAllowed) reject(error)
      else resolve(!error)
    })
  })
}

/** A connected socket. Rejects with AddressNotAllowed or the error of net.connect. */
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
  (port: number, strictness: Strictness): LookupFunction =>
  (host, options, callback) => {
    const { resolve = resolveBySystem } = guard
    const { hints } = options
    const family = options.family === 'IPv4' ? 4 : options.family === 'IPv6' ? 6 : options.family
    resolve(
      host,
      { all: true, ...(family !== undefined && { family }), ...(hints !== undefined && { hints }) },
      (error, found) => {
        if (error) return callback(error, [])
        const addresses = found.map(({ address }) => address)
        const allowed =
          strictness === 'any'
            ? found.filter(({ address }) => isAllowed(host, address, port))
            : passes(host, addresses, port, strictness)
              ? found
              : []
        const [first] = allowed
        if (!first) callback(refuse(host, port, addresses), [])
        else if (options.all) callback(null, allowed)
        else callback(null, first.address, first.family)
      },
    )
  }

const refuse = (host: string, port: number, addresses: string[]): AddressNotAllowed => {
  guard.onRefused?.({ host, port, addresses })
  return new AddressNotAllowed()
}

const passes = (host: string, addresses: string[], port: number, strictness: Strictness): boolean => {
  if (strictness === 'operator') return true
  const isOurs = guard.own?.some(
    (one) => one.port === port && (nameOf(one.host) === nameOf(host) || addresses.includes(one.host)),
  )
  if (strictness !== 'any' && isOurs) return false
  const isFine = strictness === 'listed' ? isListed : isAllowed
  return addresses.every((address) => isFine(host, address, port))
}

const isAllowed = (host: string, given: string, port: number): boolean =>
  !isInside(given) || isListed(host, given, port)

/** Whether a connection to it is only possible because the operator allowed it. */
export const isInside = (given: string): boolean => {
  // fe80::1%eth0
  const address = given.split('%')[0]!
  return refused.check(address, familyOf(address)) || isOwn(address)
}

/** Whether the operator's exceptions name it. */
const isListed = (host: string, given: string, port: number): boolean => {
  const address = given.split('%')[0]!
  return guard.allow.some((rule) => {
    if (rule.port !== null && rule.port !== port) return false
    if ('host' in rule) return rule.host === nameOf(host)
    const network = new BlockList()
    network.addSubnet(rule.network, rule.prefix, familyOf(rule.network))
    return network.check(address, familyOf(address))
  })
}

/** Connections to this machine's own addresses, even public ones, can bypass its firewall. */
const isOwn = (address: string): boolean => {
  const own = new BlockList()
  for (const one of Object.values(networkInterfaces()).flat())
    if (one) own.addAddress(one.address.split('%')[0]!, familyOf(one.address.split('%')[0]!))
  return own.check(address, familyOf(address))
}

/** Without the dots at its end, which change nothing. */
const nameOf = (host: string): string => {
  let end = host.length
  while (host[end - 1] === '.') end--
  return host.slice(0, end).toLowerCase()
}

const bare = (host: string): string => host.replace(/^\[|\]$/g, '')
