import type { Db } from '../../platform/db/pool.ts'
import { type Seal, SealError } from '../../platform/seal.ts'
import { findPushKeys, insertPushKeys, replacePushKeys } from './push-key-queries.ts'

export type PushKeys = { publicKey: string; privateKey: string }

/** There is one pair for all workspaces. */
export const PUSH_KEYS_OWNER = { workspaceId: 'push', id: 'keys' }

const makePair = async (): Promise<PushKeys> => (await import('web-push')).default.generateVAPIDKeys()

/**
 * The pair that push services know this installation by: made once, and again if SECRET_KEY has changed. Browsers that
 * subscribed with a lost pair can't be reached, so their subscriptions go with it; they subscribe again when the console
 * is next opened.
 */
export const ensurePushKeys = async ({ db, seal }: { db: Db; seal: Seal }): Promise<PushKeys> => {
  const sealed = ({ publicKey, privateKey }: PushKeys) => ({
    publicKey,
    privateKey: seal.seal(privateKey, PUSH_KEYS_OWNER),
  })
  const found = (await findPushKeys(db)) ?? (await insertPushKeys(db, sealed(await makePair())))
  try {
    return { publicKey: found.publicKey, privateKey: seal.open(found.privateKey, PUSH_KEYS_OWNER) }
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    const pair = await makePair()
    await replacePushKeys(db, found.publicKey, sealed(pair))
    return ensurePushKeys({ db, seal })
  }
}
