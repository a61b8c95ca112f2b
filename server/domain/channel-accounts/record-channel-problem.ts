import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { record } from '../../platform/events/record.ts'
import { isOfReceiving } from './problem-advice.ts'
import { isNewProblem, setChannelProblem, setWorked } from './queries.ts'
import type { StoredChannelAccount } from './schema.ts'

const CODE_MAX = 64
const MESSAGE_MAX = 300

const shortened = (text: string, max: number): string => [...text].slice(0, max).join('')

/**
 * Notes why a channel account does not work (e.g. sign-in refused, token expired), which the console shows to admins;
 * null if it works. May be called at every attempt: only changes are written and announced, and the start time stays
 * while the code does. The message is shown to people and must hold no credential.
 */
export const recordChannelProblem = async (
  ctx: Ctx,
  channelId: string,
  given: { code: string; message: string } | null,
): Promise<void> => {
  const problem = given && {
    code: shortened(given.code, CODE_MAX),
    message: shortened(given.message.replaceAll('\0', ''), MESSAGE_MAX),
  }
  if (!(await isNewProblem(ctx, channelId, problem))) return
  await inTransaction(ctx, async (ctx) => {
    const before = await setChannelProblem(ctx, channelId, problem)
    if (!before || before.code === problem?.code) return
    if (problem) await record(ctx, { type: 'channel.problem', data: { channelId, code: problem.code } })
    else if (before.code !== null)
      await record(ctx, { type: 'channel.recovered', data: { channelId, code: before.code } })
  })
}

/** Often enough to say when a channel last worked, and not a write for each message. */
const WORKED_EVERY_MS = 5 * 60_000

/** Notes that messages went out or came in, which ends a problem of that kind. */
export const recordWorking = async (
  ctx: Ctx,
  { id, problem, workedAt }: Pick<StoredChannelAccount, 'id' | 'problem' | 'workedAt'>,
  what: 'sending' | 'receiving',
): Promise<void> => {
  if (problem && isOfReceiving(problem) === (what === 'receiving')) await recordChannelProblem(ctx, id, null)
  const lastMs = workedAt ? Date.parse(workedAt) : 0
  if (ctx.now().getTime() - lastMs >= WORKED_EVERY_MS) await setWorked(ctx, id)
}
