import { isIPv4 } from 'node:net'

/**
 * Whether a host, as in HOST or a URL, can only be reached from this machine. A name such as 127.example.com does not
 * count.
 */
export const isLoopbackHost = (host: string): boolean => {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase()
  return name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'))
}

export const isLoopbackUrl = (url: string): boolean =>
  URL.canParse(url) && isLoopbackHost(new URL(url).hostname)
