// Looks up a request's bearer token, once, and caches it. Revocations and rotations arrive by PostgreSQL's NOTIFY and drop
// the token at once; while the listening connection is down the cache is not used.
import type { Db } from '../../platform/db/pool.ts'
import { hashSecret } from '../../platform/hash-secret.ts'
import type { TokenHolder, Tokens } from '../../platform/http/bearer.ts'
import { makeNetworks } from '../../platform/networks.ts'
import { scopesOf } from './access.ts'

const REMEMBERED_MAX = 10_000
const LAST_USED_EVERY_MS = 60_000
const TOKEN_PATTERN = /^foyer_[A-Za-z0-9_-]{43}$/

type Found = {
  holder: TokenHolder /** When another secret replaces this one. */
  replacedAtMs: number | null
}

/** The token that has the secret, now or until its overlap ends. */
const findToken = async (db: Db, hash: Buffer): Promise<Found | undefined> => {
  const row = await db
    .selectFrom('api_tokens')
    .select([
      'id',
      'workspace_id',
      'hash',
      'scopes',
      'channels',
      'expires_at',
      'allowed_addresses',
      'previous_until',
    ])
    .where((eb) => eb.or([eb('hash', '=', hash), eb('previous_hash', '=', hash)]))
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  if (!row) return undefined
  const msOf = (moment: string | null): number | null => (moment === null ? null : Date.parse(moment))
  return {
    holder: {
      tokenId: row.id,
      workspaceId: row.workspace_id,
      scopes: scopesOf(row.scopes),
      channels: row.channels,
      expiresAtMs: msOf(row.expires_at),
      addresses: row.allowed_addresses && makeNetworks(row.allowed_addresses),
    },
    replacedAtMs: row.hash.equals(hash) ? null : msOf(row.previous_until),
  }
}

type Entry = Found & { usedAtMs: number }

type Options = {
  db: Db
  now: () => Date
  /** Whether revocations by other processes are currently being received. */
  receivesRevocations: () => boolean
  onError: (error: unknown) => void
}

export const makeTokens = ({ db, now, receivesRevocations, onError }: Options): Tokens => {
  const remembered = new Map<string, Entry>()
  let forgotten = 0

  /** At most once a minute for each token; no request waits for it. */
  const touchLastUsed = (entry: Entry): void => {
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

  const currentHolder = (entry: Entry): TokenHolder | undefined => {
    const { holder, replacedAtMs } = entry
    const nowMs = now().getTime()
    if (replacedAtMs !== null && nowMs >= replacedAtMs) return undefined
    // A token that has expired is found, so that its caller can be told, but not used.
    if (holder.expiresAtMs === null || nowMs < holder.expiresAtMs) touchLastUsed(entry)
    return holder
  }

  const lookUp = async (key: string, hash: Buffer): Promise<TokenHolder | undefined> => {
    const forgottenBefore = forgotten
    const found = await findToken(db, hash)
    if (!found) {
      remembered.delete(key)
      return undefined
    }
    const entry = { ...found, usedAtMs: remembered.get(key)?.usedAtMs ?? 0 }
    // The result may predate a revocation that arrived during the query.
    if (forgotten === forgottenBefore) {
      if (remembered.size >= REMEMBERED_MAX) remembered.delete(remembered.keys().next().value as string)
      remembered.set(key, entry)
    }
    return currentHolder(entry)
  }

  return {
    find(secret) {
      if (!TOKEN_PATTERN.test(secret)) return undefined
      const hash = hashSecret(secret)
      const key = hash.toString('base64')
      const entry = remembered.get(key)
      if (!entry || !receivesRevocations()) return lookUp(key, hash)
      return currentHolder(entry)
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
