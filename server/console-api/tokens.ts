// API tokens as admins see them in the console. They are only created here and by the command line.

import { listTokens } from '../domain/tokens/queries.ts'
import {
  ApiTokenAnswer,
  ApiTokenList,
  CreatedApiToken,
  NewToken,
  Rotation,
  TokenParams,
} from '../domain/tokens/schema.ts'
import { createToken, getToken, revokeToken, rotateToken } from '../domain/tokens/tokens.ts'
import type { App } from '../platform/http/api.ts'
import type { Tokens } from '../platform/http/bearer.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerTokensConsoleRoutes = (app: App, { tokens }: { tokens: Tokens }): void => {
  app.get(
    '/tokens',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleListTokens',
        summary: 'List API tokens',
        description: 'Newest first. Revoked tokens come last and are kept.',
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
        summary: 'Create an API token',
        description: 'The response contains the secret, which is not stored and cannot be shown again.',
        body: NewToken,
        response: { 200: CreatedApiToken },
      },
    },
    ({ ctx, body }) => createToken(ctx, body),
  )

  app.post(
    '/tokens/:tokenId/rotate',
    {
      config: { permission: 'admin', isConfidential: true },
      schema: {
        operationId: 'consoleRotateToken',
        summary: 'Rotate an API token',
        description:
          'Replaces the secret. The old one goes on for `overlapHours`; one that an earlier rotation kept ends at once.',
        params: TokenParams,
        body: Rotation,
        response: { 200: CreatedApiToken, ...errors('NOT_FOUND', 'TOKEN_NOT_ACTIVE') },
      },
    },
    async ({ ctx, params, body }) => {
      const rotated = await rotateToken(ctx, { ...params, ...body })
      tokens.forget(params.tokenId)
      return rotated
    },
  )

  app.post(
    '/tokens/:tokenId/revoke',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleRevokeToken',
        summary: 'Revoke an API token',
        description: 'Takes effect with the next request. Revoking a revoked token changes nothing.',
        params: TokenParams,
        response: { 200: ApiTokenAnswer, ...errors('NOT_FOUND') },
      },
    },
    async ({ ctx, params: { tokenId } }) => {
      await revokeToken(ctx, { tokenId })
      // Other processes are notified by the database; this one must not be the last to know.
      tokens.forget(tokenId)
      return { token: await getToken(ctx, tokenId) }
    },
  )
}
