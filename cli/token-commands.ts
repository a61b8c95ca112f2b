import type { Ctx } from '../server/platform/ctx/ctx.ts'
import { type Command, required, WORKSPACE } from './command.ts'
import type { CommandDatabase } from './open-database.ts'

/** A flag that may be repeated. */
const listOf = (given: string | string[] | undefined): string[] | undefined =>
  given === undefined ? undefined : [given].flat()

const ctxOfToken = async ({ db, ctxOf }: CommandDatabase, tokenId: string): Promise<Ctx> => {
  const { findWorkspaceIdOfToken } = await import('../server/domain/tokens/queries.ts')
  const workspaceId = await findWorkspaceIdOfToken(db, tokenId)
  if (!workspaceId) throw new Error(`There is no token with the id ${tokenId}.`)
  return ctxOf(workspaceId)
}

export const tokenCommands: Command[] = [
  {
    words: 'token create',
    about:
      'Create an API token, with full access to the workspace unless limited. The secret is shown only once.',
    flags: {
      workspace: WORKSPACE,
      name: required('NAME'),
      scope: { value: 'SCOPE', isMultiple: true },
      channel: { value: 'CHANNEL', isMultiple: true },
      expires: { value: 'DATE' },
      'allow-address': { value: 'ADDRESS', isMultiple: true },
    },
    run: async ({ flag, flags }, settings) => {
      const config = settings()
      const { withDatabase } = await import('./open-database.ts')
      const { createToken } = await import('../server/domain/tokens/tokens.ts')
      return withDatabase(config, async ({ ctxOf }) =>
        createToken(await ctxOf(flag('workspace')), {
          name: flag('name'),
          scopes: listOf(flags.scope),
          channels: listOf(flags.channel),
          expiresAt: flags.expires === undefined ? undefined : flag('expires'),
          allowedAddresses: listOf(flags.allowAddress),
        }),
      )
    },
  },
  {
    words: 'token rotate',
    about:
      'Replace the secret of an API token. The old one works for another 24 hours, or the overlap given.',
    operand: 'ID',
    flags: { overlap: { value: 'HOURS' } },
    run: async ({ operand: tokenId, flags, flag }, settings) => {
      const config = settings()
      const { withDatabase } = await import('./open-database.ts')
      const { rotateToken } = await import('../server/domain/tokens/tokens.ts')
      return withDatabase(config, async (opened) =>
        rotateToken(await ctxOfToken(opened, tokenId), {
          tokenId,
          ...(flags.overlap !== undefined && { overlapHours: Number(flag('overlap')) }),
        }),
      )
    },
  },
  {
    words: 'token revoke',
    about: 'Revoke an API token, immediately and permanently.',
    operand: 'ID',
    run: async ({ operand: tokenId }, settings) => {
      const config = settings()
      const { withDatabase } = await import('./open-database.ts')
      const { revokeToken } = await import('../server/domain/tokens/tokens.ts')
      return withDatabase(config, async (opened) =>
        revokeToken(await ctxOfToken(opened, tokenId), { tokenId }),
      )
    },
  },
]
