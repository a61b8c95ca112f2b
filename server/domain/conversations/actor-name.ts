import { sql } from 'kysely'
import { actorId } from '../../platform/ctx/actor.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'

/** The name shown in a thread for whoever did something, by the id stored with it; see actorId. */
export const actorName = async ({ db, actor }: Pick<Ctx, 'db' | 'actor'>): Promise<string> => {
  if (actor.type === 'token') return 'API'
  if (actor.type !== 'agent') return 'Foyer'
  const { rows } = await sql<{ nickname: string }>`
    select nickname from accounts where id = ${actorId(actor)}`.execute(db)
  return rows[0]?.nickname ?? 'A former member'
}
