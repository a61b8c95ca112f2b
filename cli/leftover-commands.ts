import { type Command, WORKSPACE } from './command.ts'

export const leftoverCommands: Command[] = [
  {
    words: 'leftovers list',
    about: 'List inbound deliveries that could not be stored or understood.',
    flags: { workspace: WORKSPACE },
    run: async ({ flag }, settings) => {
      const config = settings()
      const { withDatabase } = await import('./open-database.ts')
      const { listLeftovers } = await import('../server/inbound/replay/leftovers.ts')
      return withDatabase(config, async ({ ctxOf }) => listLeftovers(await ctxOf(flag('workspace'))))
    },
  },
  {
    words: 'leftovers replay',
    about: 'Retry storing inbound deliveries, up to 100 at a time.',
    flags: { workspace: WORKSPACE },
    run: async ({ flag }, settings) => {
      const config = settings()
      const { withDatabase } = await import('./open-database.ts')
      const { replayLeftovers } = await import('../server/inbound/replay/leftovers.ts')
      return withDatabase(config, async ({ ctxOf }) => replayLeftovers(await ctxOf(flag('workspace'))))
    },
  },
]
