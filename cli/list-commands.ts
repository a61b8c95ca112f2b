// What there is, with the ids that the other commands take.
import type { Ctx } from '../server/platform/ctx/ctx.ts'
import { type Command, WORKSPACE } from './command.ts'

/** A list of a workspace. */
const listOf = (
  noun: string,
  { about, read }: { about: string; read: (ctx: Ctx) => Promise<object> },
): Command => ({
  words: `${noun} list`,
  about,
  flags: { workspace: WORKSPACE },
  run: async ({ flag }, settings) => {
    const config = settings()
    const { withDatabase } = await import('./open-database.ts')
    return withDatabase(config, async ({ ctxOf }) => read(await ctxOf(flag('workspace'))))
  },
})

export const listCommands: Command[] = [
  {
    words: 'workspace list',
    about: 'List the workspaces.',
    run: async (_, settings) => {
      const config = settings()
      const { withDatabase } = await import('./open-database.ts')
      const { listWorkspaces } = await import('../server/domain/workspaces/queries.ts')
      return withDatabase(config, async ({ db }) => ({ workspaces: await listWorkspaces(db) }))
    },
  },
  listOf('member', {
    about: 'List the people of a workspace, with their roles.',
    read: async (ctx) => {
      const { listMembers } = await import('../server/domain/agents/queries.ts')
      return { members: await listMembers(ctx) }
    },
  }),
  listOf('token', {
    about: 'List the API tokens, without their secrets. Revoked ones come last.',
    read: async (ctx) => {
      const { listTokens } = await import('../server/domain/tokens/queries.ts')
      return { tokens: await listTokens(ctx) }
    },
  }),
  listOf('channel', {
    about: 'List the channels with their webhook addresses and problems, without their credentials.',
    read: async (ctx) => {
      const { listChannels } = await import('../server/domain/channel-accounts/show-channel-accounts.ts')
      return { channels: await listChannels(ctx) }
    },
  }),
  listOf('tag', {
    about: 'List the tags.',
    read: async (ctx) => {
      const { listTags } = await import('../server/domain/tags/queries.ts')
      return { tags: await listTags(ctx) }
    },
  }),
  listOf('group', {
    about: 'List the contact groups with their members.',
    read: async (ctx) => {
      const { listContactGroups } = await import('../server/domain/contact-groups/queries.ts')
      const { decode } = await import('../server/platform/db/json-text.ts')
      return decode(await listContactGroups(ctx))
    },
  }),
]
