// Lists of addresses and networks, such as those that a token may be used from.
import { BlockList, isIP } from 'node:net'

const BITS = { 4: 32, 6: 128 } as const
const MAPPED = /^::ffff:/i

/** The parts of `192.0.2.7`, `192.0.2.0/24` or `2001:db8::/32`; undefined for anything else. */
const partsOf = (text: string): { address: string; family: 4 | 6; prefix: number } | undefined => {
  const [address = '', prefix, ...rest] = text.split('/')
  const family = isIP(address)
  // IPv4 in the form of IPv6 would never match: callers are compared as IPv4.
  if (rest.length > 0 || (family !== 4 && family !== 6) || address.includes('%') || MAPPED.test(address))
    return undefined
  const bits = BITS[family]
  if (prefix === undefined) return { address, family, prefix: bits }
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bits) return undefined
  return { address, family, prefix: Number(prefix) }
}

export const isNetwork = (text: string): boolean => partsOf(text) !== undefined

export type Networks = { include: (address: string) => boolean }

/** Of texts that isNetwork accepts. */
export const makeNetworks = (texts: readonly string[]): Networks => {
  const list = new BlockList()
  for (const text of texts) {
    const { address, family, prefix } = partsOf(text)!
    list.addSubnet(address, prefix, `ipv${family}`)
  }
  return {
    include: (address) => {
      const family = isIP(address)
      return (family === 4 || family === 6) && list.check(address, `ipv${family}`)
    },
  }
}
