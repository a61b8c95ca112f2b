import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { record } from '../../platform/events/record.ts'
import { isNewProblem, setChannelProblem } from './queries.ts'

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
