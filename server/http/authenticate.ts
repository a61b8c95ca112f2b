// Who calls: the bearer token of a request, looked up once and then remembered. A revocation is heard over PostgreSQL's
// NOTIFY and drops the token at once; while the listening connection is down nothing is taken from memory.
import { createHash } from 'node:crypto'
import type { Db } from '../db/pool.ts'

export type TokenHolder = { tokenId: string; tokenName: string; workspaceId: string; workspaceName: string }

export type Tokens = {
  /** The holder of a secret, or undefined when it is unknown or revoked. */
  find(secret: string): TokenHolder | undefined | Promise<TokenHolder | undefined>
  /** Forgets a token, by id. */
  forget(tokenId: string): void
  /** Forgets all of them: revocations may have been missed. */
  forgetAll(): void
}

const REMEMBERED_MAX = 10_000
const LAST_USED_EVERY_MS = 60_000
const TOKEN_PATTERN = /^foyer_[A-Za-z0-9_-]{43}$/

export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/** The secret of an Authorization header, or undefined when it is no `Bearer <something>`. */
export const bearerOf = (header: string | undefined): string | undefined =>
  /^bearer +(\S+) *$/i.exec(header ?? '')?.[1]

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
  /** Whether revocations made elsewhere are being heard at this moment. */
  hearsRevocations: () => boolean
  onError: (error: unknown) => void
}

export const makeTokens = ({ db, now, hearsRevocations, onError }: Options): Tokens => {
  const remembered = new Map<string, { holder: TokenHolder; usedAtMs: number }>()
  let forgotten = 0

  /** At most once a minute for each token; nobody waits for it. */
  const noteUse = (entry: { holder: TokenHolder; usedAtMs: number }): void => {
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
    // A revocation that came in while we asked may not have been in the answer.
    if (forgotten === forgottenBefore) {
      if (remembered.size >= REMEMBERED_MAX) remembered.delete(remembered.keys().next().value as string)
      remembered.set(key, entry)
    }
    noteUse(entry)
    return holder
  }

  return {
    find(secret) {
      if (!TOKEN_PATTERN.test(secret)) return undefined
      const hash = hashSecret(secret)
      const key = hash.toString('base64')
      const entry = remembered.get(key)
      if (!entry || !hearsRevocations()) return lookUp(key, hash)
      noteUse(entry)
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
