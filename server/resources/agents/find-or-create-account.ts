import { randomInt } from 'node:crypto'
import { ApiError } from '../../errors.ts'
import { foldNickname, nicknameFromEmail } from './nickname.ts'
import {
  type Account,
  findAccountByEmail,
  insertAccount,
  listTakenNicknames,
  type PlatformCtx,
} from './queries.ts'

/** So many numbers are tried in their order; past them (`info` is popular) the number is a random one. */
const ORDERED_NUMBERS_MAX = 50
const RANDOM_NUMBERS = 10
const RANDOM_NUMBER_MAX = 1_000_000_000
const ATTEMPTS_MAX = 100

/**
 * The account of an email (lower case), made if there is none: with the given nickname, or with one made from the email.
 * Throws NICKNAME_TAKEN for a given one that somebody has, and AGENT_MANAGED for the AI agent's email.
 */
export const findOrCreateAccount = async (
  ctx: PlatformCtx,
  { email, nickname }: { email: string; nickname?: string | undefined },
): Promise<Account> => {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const existing = await findAccountByEmail(ctx, email)
    if (existing?.isAi) throw new ApiError('AGENT_MANAGED')
    if (existing) return existing
    const created = await insertAccount(ctx, {
      email,
      nickname: nickname ?? (await freeNickname(ctx, email)),
    })
    if (created) return created
    // Somebody else has just taken the email, or the nickname. A given nickname is not replaced by another.
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
  return candidates.find((candidate) => !taken.has(foldNickname(candidate))) ?? candidates.at(-1)!
}
