import { newId } from '../server/platform/db/id.ts'
import type { TestApp } from './app.ts'

/** A completed erasure of somebody. */
export const makeErasure = async ({ db }: Pick<TestApp, 'db'>, workspaceId: string): Promise<string> => {
  const id = newId()
  await db
    .insertInto('erasures')
    .values({
      workspace_id: workspaceId,
      id,
      contact_id: newId(),
      mode: 'erase',
      status: 'completed',
      clues: null,
      actor: 'operator',
      created_at: new Date(),
      erased_at: new Date(),
    })
    .execute()
  return id
}
