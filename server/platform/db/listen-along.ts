// What only spares a poll its wait shares one connection of the process: each would take 1.5 MB of the server's memory, and
// a heartbeat every second.
import { type Listener, type ListenOptions, listen } from './listen.ts'

type AlongOptions = Omit<ListenOptions, 'channels' | 'name'> & { channel: string }

type Shared = { heard: Set<AlongOptions>; channels: Set<string>; listener: Promise<Listener> }

/** By what they connect to. */
const connections = new Map<string, Shared>()

const open = ({ connectionString, log, channel }: AlongOptions): Shared => {
  const heard = new Set<AlongOptions>()
  const channels = new Set([channel])
  const listener = listen({
    connectionString,
    channels,
    name: 'work',
    onNotified: (payload, from) => {
      for (const one of heard) if (one.channel === from) one.onNotified(payload, from)
    },
    onListening: () => {
      for (const one of heard) one.onListening()
    },
    log,
  })
  return { heard, channels, listener }
}

/** Like `listen`. Whoever is first lends its log. */
export const listenAlong = async (options: AlongOptions): Promise<Pick<Listener, 'close'>> => {
  const { connectionString, channel } = options
  const shared = connections.get(connectionString) ?? open(options)
  connections.set(connectionString, shared)
  shared.heard.add(options)
  shared.channels.add(channel)
  const listener = await shared.listener
  await listener.hear(channel)
  options.onListening()
  return {
    close: async () => {
      shared.heard.delete(options)
      if (shared.heard.size > 0) return
      if (connections.get(connectionString) === shared) connections.delete(connectionString)
      await listener.close()
    },
  }
}
