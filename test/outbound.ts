// The tests' providers and mail servers listen on loopback, which outbound connections may not reach by default.
import type { OutboundRule } from '../channels/channel.ts'

export const OUTBOUND_ALLOW: OutboundRule[] = [{ network: '127.0.0.1', prefix: 32, port: null }]
