import { parseAddress } from '../platform/db/address.ts'

/** The address of a database without the password. */
export const showAddress = (url: string): string => {
  const { hosts, urlOf } = parseAddress(url)
  const { pathname } = new URL(urlOf(hosts[0]!))
  return `${hosts.map(({ host, port }) => `${host}:${port}`).join(',')}${pathname}`
}
