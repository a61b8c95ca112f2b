import { randomInt } from 'node:crypto'
import { ApiError } from '../../platform/errors.ts'
import { foldNickname, nicknameFromEmail } from './nickname.ts'
import { isReserved } from './nickname-rules.ts'
import {
  type Account,
  findAccountByEmail,
  insertAccount,
  listTakenNicknames,
  type PlatformCtx,
} from './queries.ts'

/** Numbers tried in order; beyond this (`info` is popular) the number is random. */
const ORDERED_NUMBERS_MAX = 50
const RANDOM_NUMBERS = 10
const RANDOM_NUMBER_MAX = 1_000_000_000
const ATTEMPTS_MAX = 100

/**
 * Finds the account of an email (lower case), or creates one with the given nickname, or else one derived from the
 * email. Throws NICKNAME_TAKEN if the given nickname is taken, and AGENT_MANAGED for the AI agent's email.
 */
export const findOrCreateAccount = async (
  ctx: PlatformCtx,
  { email, nickname, createdIn }: { email: string; nickname?: string | undefined; createdIn: string },
): Promise<Account & { isCreated: boolean }> => {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const existing = await findAccountByEmail(ctx, email)
    if (existing?.isAi) throw new ApiError('AGENT_MANAGED')
    if (existing) return { ...existing, isCreated: false }
    const created = await insertAccount(ctx, {
      email,
      nickname: nickname ?? (await freeNickname(ctx, email)),
      createdIn,
    })
    if (created) return { ...created, isCreated: true }
    // A concurrent request took the email or the nickname. Never replace a given nickname with another.
    if (nickname !== undefined && !(await findAccountByEmail(ctx, email)))
      throw new ApiError('NICKNAME_TAKEN')
  }
  throw new Error(`no free nickname after ${ATTEMPTS_MAX} attempts`)
}

const freeNickname = async (ctx: PlatformCtx, email: string): Promise<string> => {
  const numbers = [
    ...Array.from({ length: ORDERED_NUMBERS_MAX }, (_, index) => index + 1),
    ...Array.from({ length: RANDOM_NUMBERS }, () => randomInt(ORDERED_NUMBERS_MAX + 1, RANDOM_NUMBER_MAX)),
  ]
  const candidates = numbers.map((number) => nicknameFromEmail(email, number))
  const taken = await listTakenNicknames(ctx, candidates)
  return (
    candidates.find((candidate) => !taken.has(foldNickname(candidate)) && !isReserved(candidate)) ??
    candidates.at(-1)!
  )
}
