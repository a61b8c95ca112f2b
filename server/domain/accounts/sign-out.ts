import type { PlatformCtx } from './queries.ts'
import { announceAccessEnded, deleteSession, deleteSessionsOf } from './session-queries.ts'

/** Ends the session, or all of its owner's, and with it their open streams in every process. */
export const signOut = (
  deps: PlatformCtx,
  { hash, accountId, everywhere }: { hash: Buffer; accountId: string; everywhere: boolean },
): Promise<void> =>
  deps.db.transaction().execute(async (db) => {
    if (everywhere) await deleteSessionsOf({ db }, accountId)
    else await deleteSession({ db }, hash)
    await announceAccessEnded({ db }, accountId)
  })
