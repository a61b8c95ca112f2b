// Parses OUTBOUND_ALLOW: host names, addresses and networks, each optionally with a port.
import { isIP } from 'node:net'
import type { OutboundRule } from '../../channels/channel.ts'

const PORT_MAX = 65_535
const RULES_MAX = 100
const NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/

/** `n8n.internal:5678, 10.0.3.0/24, [fd00::5]:8025`. Throws an Error naming the entry that can't be parsed. */
export const parseOutboundRules = (text: string): OutboundRule[] => {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  if (entries.length > RULES_MAX) throw new Error(`must list at most ${RULES_MAX} hosts and networks`)
  return entries.map((entry) => {
    const rule = ruleOf(entry)
    if (!rule)
      throw new Error(
        `has the entry "${entry}", which is not a host (n8n.internal:5678), an address or a network (10.0.3.0/24)`,
      )
    return rule
  })
}

const ruleOf = (entry: string): OutboundRule | undefined => {
  // An IPv6 address without brackets can't have a port: 0::1 and ::1:25 are addresses.
  const parts = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(entry)
  const [inBrackets, bare, portText] = parts ? parts.slice(1) : [undefined, entry, undefined]
  const port = portText === undefined ? null : Number(portText)
  if (port !== null && (port < 1 || port > PORT_MAX)) return undefined
  const [host = '', prefixText, ...rest] = (inBrackets ?? bare ?? '').split('/')
  const version = isIP(host)
  if (version === 0) {
    const name = host.toLowerCase().replace(/\.$/, '')
    return prefixText === undefined && !inBrackets && NAME.test(name) ? { host: name, port } : undefined
  }
  const bits = version === 4 ? 32 : 128
  const prefix = prefixText === undefined ? bits : Number(prefixText)
  if (rest.length > 0 || (prefixText !== undefined && !/^\d{1,3}$/.test(prefixText)) || prefix > bits)
    return undefined
  return { network: host, prefix, port }
}
