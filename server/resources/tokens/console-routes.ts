// API tokens as the admins see them in the console. They are made here and by the command line, nowhere else.
import type { App } from '../../http/api.ts'
import type { Tokens } from '../../http/authenticate.ts'
import { errors } from '../../http/error-responses.ts'
import { createToken } from './create-token.ts'
import { getToken, listTokens } from './queries.ts'
import { revokeToken } from './revoke-token.ts'
import { ApiTokenAnswer, ApiTokenList, CreatedApiToken, NewToken, TokenParams } from './schema.ts'

export const registerTokensConsoleRoutes = (app: App, { tokens }: { tokens: Tokens }): void => {
  app.get(
    '/tokens',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleListTokens',
        summary: 'List API tokens',
        description: 'The newest first; those that were revoked come after all others and stay for good.',
        response: { 200: ApiTokenList },
      },
    },
    async ({ ctx }) => ({ tokens: await listTokens(ctx) }),
  )

  app.post(
    '/tokens',
    {
      config: { permission: 'admin', isConfidential: true },
      schema: {
        operationId: 'consoleCreateToken',
        summary: 'Make an API token',
        description: 'The answer holds the secret, which is stored nowhere and shown never again.',
        body: NewToken,
        response: { 200: CreatedApiToken },
      },
    },
    async ({ ctx, body }) => {
      const { token, secret } = await createToken(ctx, body)
      return { token: await getToken(ctx, token.id), secret }
    },
  )

  app.post(
    '/tokens/:tokenId/revoke',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleRevokeToken',
        summary: 'Revoke an API token',
        description: 'From the next request on it opens nothing. Revoking it again changes nothing.',
        params: TokenParams,
        response: { 200: ApiTokenAnswer, ...errors('NOT_FOUND') },
      },
    },
    async ({ ctx, params: { tokenId } }) => {
      await revokeToken(ctx, { tokenId })
      // The other processes hear of it from the database; this one must not be the last to know.
      tokens.forget(tokenId)
      return { token: await getToken(ctx, tokenId) }
    },
  )
}
