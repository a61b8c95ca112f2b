// Looks up a request's bearer token, once, and caches it. Revocations arrive by PostgreSQL's NOTIFY and drop the token
// at once; while the listening connection is down the cache is not used.
import type { Db } from '../../platform/db/pool.ts'
import { hashSecret } from '../../platform/hash-secret.ts'
import type { TokenHolder, Tokens } from '../../platform/http/bearer.ts'

const REMEMBERED_MAX = 10_000
const LAST_USED_EVERY_MS = 60_000
const TOKEN_PATTERN = /^foyer_[A-Za-z0-9_-]{43}$/

const findHolder = (db: Db, hash: Buffer): Promise<TokenHolder | undefined> =>
  db
    .selectFrom('api_tokens as t')
    .innerJoin('workspaces as w', 'w.id', 't.workspace_id')
    .select([
      't.id as tokenId',
      't.name as tokenName',
      't.workspace_id as workspaceId',
      'w.name as workspaceName',
    ])
    .where('t.hash', '=', hash)
    .where('t.revoked_at', 'is', null)
    .executeTakeFirst()

type Options = {
  db: Db
  now: () => Date
  /** Whether revocations by other processes are currently being received. */
  receivesRevocations: () => boolean
  onError: (error: unknown) => void
}

export const makeTokens = ({ db, now, receivesRevocations, onError }: Options): Tokens => {
  const remembered = new Map<string, { holder: TokenHolder; usedAtMs: number }>()
  let forgotten = 0

  /** At most once a minute for each token; no request waits for it. */
  const touchLastUsed = (entry: { holder: TokenHolder; usedAtMs: number }): void => {
    const nowMs = now().getTime()
    if (nowMs - entry.usedAtMs < LAST_USED_EVERY_MS) return
    entry.usedAtMs = nowMs
    db.updateTable('api_tokens')
      .set({ last_used_at: now() })
      .where('workspace_id', '=', entry.holder.workspaceId)
      .where('id', '=', entry.holder.tokenId)
      .execute()
      .catch(onError)
  }

  const lookUp = async (key: string, hash: Buffer): Promise<TokenHolder | undefined> => {
    const forgottenBefore = forgotten
    const holder = await findHolder(db, hash)
    if (!holder) {
      remembered.delete(key)
      return undefined
    }
    const entry = { holder, usedAtMs: remembered.get(key)?.usedAtMs ?? 0 }
    // The result may predate a revocation that arrived during the query.
    if (forgotten === forgottenBefore) {
      if (remembered.size >= REMEMBERED_MAX) remembered.delete(remembered.keys().next().value as string)
      remembered.set(key, entry)
    }
    touchLastUsed(entry)
    return holder
  }

  return {
    find(secret) {
      if (!TOKEN_PATTERN.test(secret)) return undefined
      const hash = hashSecret(secret)
      const key = hash.toString('base64')
      const entry = remembered.get(key)
      if (!entry || !receivesRevocations()) return lookUp(key, hash)
      touchLastUsed(entry)
      return entry.holder
    },
    forget(tokenId) {
      forgotten += 1
      for (const [key, { holder }] of remembered) if (holder.tokenId === tokenId) remembered.delete(key)
    },
    forgetAll() {
      forgotten += 1
      remembered.clear()
    },
  }
}
