// Ten codes for the day a person doesn't have their passkey: random, stored hashed, each for one sign-in.
import { randomBytes } from 'node:crypto'
import { ApiError } from '../../../platform/errors.ts'
import type { Seal } from '../../../platform/seal.ts'
import { type AccountCall, auditAccount } from '../audit-account.ts'
import { hasPasskey } from '../pending-queries.ts'
import type { PlatformCtx } from '../queries.ts'
import { lockAccount } from './queries.ts'
import { deleteRecoveryCode, deleteRecoveryCodesOf, insertRecoveryCodes } from './recovery-code-queries.ts'
import type { RecoveryCodes } from './schema.ts'

const PURPOSE = 'recovery code'
const CODES = 10
/** 50 bits, in two halves. */
const CODE_LENGTH = 10
/** 32 letters and digits that aren't taken for each other. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

type Scope = Pick<PlatformCtx, 'db' | 'now'> & { seal: Pick<Seal, 'sign'> }
export type Owner = { accountId: string; nickname: string }

const makeCode = (): string =>
  [...randomBytes(CODE_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')

const shownCode = (code: string): string => `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`

/** As it was made, whatever was typed: capital letters, spaces, o for 0. */
const readCode = (typed: string): string =>
  typed
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replaceAll('o', '0')
    .replace(/[il]/g, '1')

/** Keyed with the server's key, so the table alone does not reveal the code. */
const hashOf = ({ seal }: Pick<Scope, 'seal'>, accountId: string, code: string): string =>
  seal.sign(PURPOSE, textOf(accountId, code))

const textOf = (accountId: string, code: string): string => `${accountId}\n${code}`

/** In the transaction of the caller. */
export const replaceRecoveryCodes = async (ctx: Scope, accountId: string): Promise<string[]> => {
  const codes = Array.from({ length: CODES }, makeCode)
  await deleteRecoveryCodesOf(ctx, accountId)
  await insertRecoveryCodes(ctx, { accountId, hashes: codes.map((code) => hashOf(ctx, accountId, code)) })
  return codes.map(shownCode)
}

/** New codes; the earlier ones stop working. Throws PASSKEY_NOT_FOUND if there is no passkey that they could replace. */
export const createRecoveryCodes = (
  deps: PlatformCtx & AccountCall & { seal: Seal },
  { accountId, nickname }: Owner,
): Promise<RecoveryCodes> =>
  deps.db.transaction().execute(async (db) => {
    const ctx = { ...deps, db }
    await lockAccount(ctx, accountId)
    if (!(await hasPasskey(ctx, accountId))) throw new ApiError('PASSKEY_NOT_FOUND')
    const recoveryCodes = await replaceRecoveryCodes(ctx, accountId)
    const account = { id: accountId, name: nickname }
    await auditAccount(ctx, { action: 'recovery_codes.created', account }, deps)
    return { recoveryCodes }
  })

/** Whether the code is one of the account's; it is used up. */
export const takeRecoveryCode = (
  deps: PlatformCtx & AccountCall & { seal: Seal },
  { accountId, nickname, code }: Owner & { code: string },
): Promise<boolean> =>
  deps.db.transaction().execute(async (db) => {
    const ctx = { ...deps, db }
    const hashes = ctx.seal.signatures(PURPOSE, textOf(accountId, readCode(code)))
    if (!(await deleteRecoveryCode(ctx, { accountId, hashes }))) return false
    const account = { id: accountId, name: nickname }
    await auditAccount(ctx, { action: 'recovery_codes.used', account }, deps)
    return true
  })
