// Which caller an address stands for, for everything that counts or limits by address.
import { isIPv4, isIPv6 } from 'node:net'

/** The shared key of all invalid addresses: forging X-Forwarded-For must not give a caller several budgets. */
const NO_ADDRESS = 'no-address'
/** The longest address as text, with brackets, a zone and a port. */
const ADDRESS_MAX_LENGTH = 80
const NETWORK_GROUPS = 4

/** Some proxies include the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (text: string): string => {
  if (text.startsWith('[')) return text.slice(1, Math.max(1, text.indexOf(']')))
  const colon = text.indexOf(':')
  return colon !== -1 && colon === text.lastIndexOf(':') ? text.slice(0, colon) : text
}

const ipv4Of = (high: number, low: number): string =>
  [high >> 8, high & 0xff, low >> 8, low & 0xff].map(String).join('.')

/** The eight groups of an IPv6 address. The last two may be written as IPv4. */
const groupsOf = (address: string): number[] => {
  const parse = (part: string): number[] =>
    part === ''
      ? []
      : part.split(':').flatMap((group) => {
          if (!group.includes('.')) return [Number.parseInt(group, 16)]
          const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
          return [a * 256 + b, c * 256 + d]
        })
  const [head = '', tail] = address.split('::')
  const first = parse(head)
  const last = tail === undefined ? [] : parse(tail)
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last]
}

/** The address without port and zone, IPv4-mapped IPv6 as IPv4; undefined if it is none. */
export const plainAddress = (ip: string | undefined): string | undefined => {
  if (ip === undefined || ip.length > ADDRESS_MAX_LENGTH) return undefined
  const text = withoutPort(ip.trim())
  if (isIPv4(text)) return text
  const address = text.split('%', 1)[0] ?? ''
  if (!isIPv6(address)) return undefined
  const groups = groupsOf(address)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  return isMapped ? ipv4Of(groups[6]!, groups[7]!) : address
}

/**
 * The key that a caller's address counts under. An ISP customer usually has a whole IPv6 /64, so that is counted,
 * written as `2001:db8:0:1::/64`; IPv4-mapped IPv6 counts as IPv4.
 */
export const addressKey = (ip: string | undefined): string => {
  const address = plainAddress(ip)
  if (address === undefined) return NO_ADDRESS
  if (isIPv4(address)) return address
  const network = groupsOf(address)
    .slice(0, NETWORK_GROUPS)
    .map((group) => group.toString(16))
  return `${network.join(':')}::/64`
}
