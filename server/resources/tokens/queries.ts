import type { Ctx } from '../../ctx.ts'
import type { Verification } from './schema.ts'

/** The workspace and token of the actor, who must be a token. */
export const verifyToken = async ({ db, workspaceId, actor }: Ctx): Promise<Verification> => {
  if (actor.type !== 'token') throw new Error(`a ${actor.type} has no token to verify`)
  const row = await db
    .selectFrom('api_tokens as t')
    .innerJoin('workspaces as w', 'w.id', 't.workspace_id')
    .select(['w.id as companyId', 'w.name as companyName', 't.id', 't.name'])
    .where('t.workspace_id', '=', workspaceId)
    .where('t.id', '=', actor.tokenId)
    .executeTakeFirstOrThrow()
  return { company: { id: row.companyId, name: row.companyName }, token: { id: row.id, name: row.name } }
}
