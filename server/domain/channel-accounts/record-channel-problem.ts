import type { Ctx } from '../../platform/ctx/ctx.ts'
import { setChannelProblem } from './queries.ts'

const CODE_MAX = 64
const MESSAGE_MAX = 300

const shortened = (text: string, max: number): string => [...text].slice(0, max).join('')

/**
 * Notes why a channel account does not work (e.g. sign-in refused, token expired), which the console shows to admins;
 * null if it works. May be called at every attempt: only changes are written, and the start time stays while the code
 * does. The message is shown to people and must hold no credential.
 */
export const recordChannelProblem = (
  ctx: Pick<Ctx, 'db' | 'workspaceId' | 'now'>,
  channelAccountId: string,
  problem: { code: string; message: string } | null,
): Promise<void> =>
  setChannelProblem(
    ctx,
    channelAccountId,
    problem && {
      code: shortened(problem.code, CODE_MAX),
      message: shortened(problem.message.replaceAll('\0', ''), MESSAGE_MAX),
    },
  )
