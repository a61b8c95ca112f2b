import { type Command, required, WORKSPACE } from './command.ts'

export const tokenCommands: Command[] = [
  {
    words: 'token create',
    about: 'Create an API token. The secret is shown only once.',
    flags: { workspace: WORKSPACE, name: required('NAME') },
    run: async ({ flag }, settings) => {
      const config = settings()
      const { withDatabase } = await import('./open-database.ts')
      const { createToken } = await import('../server/domain/tokens/tokens.ts')
      return withDatabase(config, async ({ ctxOf }) =>
        createToken(await ctxOf(flag('workspace')), { name: flag('name') }),
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
      const { findWorkspaceIdOfToken } = await import('../server/domain/tokens/queries.ts')
      const { revokeToken } = await import('../server/domain/tokens/tokens.ts')
      return withDatabase(config, async ({ db, ctxOf }) => {
        const workspaceId = await findWorkspaceIdOfToken(db, tokenId)
        if (!workspaceId) throw new Error(`There is no token with the id ${tokenId}.`)
        return revokeToken(await ctxOf(workspaceId), { tokenId })
      })
    },
  },
]
