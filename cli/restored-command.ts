import type { Command } from './command.ts'

export const restoredCommand: Command = {
  words: 'restored',
  about: 'Say that the database was put back to an earlier copy, so that programs start over.',
  run: async (_, settings) => {
    const config = settings()
    const { withDatabase } = await import('./open-database.ts')
    const { startNextEpoch } = await import('../server/platform/live/epoch.ts')
    const { showEpoch } = await import('../server/domain/feed/cursor.ts')
    return withDatabase(config, async ({ db }) => ({ epoch: showEpoch((await startNextEpoch(db)).number) }), {
      mayBeMoved: true,
    })
  },
}
