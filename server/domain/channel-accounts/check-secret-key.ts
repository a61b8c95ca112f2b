import type { Db } from '../../platform/db/pool.ts'
import { type Seal, SealError } from '../../platform/seal.ts'
import { StartError } from '../../platform/start-error.ts'

/** One of this many newest credentials must decrypt: some may have been encrypted before an earlier key was lost. */
const LOOK_MAX = 20

/**
 * Throws StartError if the key decrypts none of the stored credentials: otherwise every channel would fail, one by one.
 */
export const checkSecretKey = async (db: Db, seal: Seal): Promise<void> => {
  const rows = await db
    .selectFrom('channel_accounts')
    .select(['workspace_id', 'id', 'secrets'])
    .where('secrets', 'is not', null)
    .orderBy('id', 'desc')
    .limit(LOOK_MAX)
    .execute()
  const opens = ({ workspace_id, id, secrets }: (typeof rows)[number]): boolean => {
    try {
      if (secrets) seal.open(secrets, { workspaceId: workspace_id, id })
      return true
    } catch (error) {
      if (error instanceof SealError) return false
      throw error
    }
  }
  if (rows.length > 0 && !rows.some(opens))
    throw new StartError(
      'SECRET_KEY (or secret.key in DATA_DIR) is not the key the credentials in this database were encrypted with. Start with the original key. If it is lost, see "A lost key" in docs/operations.md.',
    )
}
