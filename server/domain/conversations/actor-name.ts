import { sql } from 'kysely'
import { actorId } from '../../platform/ctx/actor.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'

/** The name shown in a thread for whoever did something, by the id stored with it; see actorId. */
export const actorName = async ({
  db,
  workspaceId,
  actor,
}: Pick<Ctx, 'db' | 'workspaceId' | 'actor'>): Promise<string> => {
  if (actor.type === 'token') return 'API'
  if (actor.type === 'flow') {
    const { rows } = await sql<{ name: string }>`
      select name from flows where workspace_id = ${workspaceId} and id = ${actor.flowId}`.execute(db)
    return rows[0]?.name ?? 'Automation'
  }
  if (actor.type !== 'agent' && actor.type !== 'ai') return 'Foyer'
  const { rows } = await sql<{ nickname: string }>`
    select nickname from accounts where id = ${actorId(actor)}`.execute(db)
  return rows[0]?.nickname ?? 'A former member'
}
