import type { Ctx } from '../../ctx.ts'
import { setChannelProblem } from './queries.ts'

const CODE_MAX = 64
const MESSAGE_MAX = 300

const shortened = (text: string, max: number): string => [...text].slice(0, max).join('')

/**
 * Notes why a channel account does not work (its sign-in is refused, its token has expired), which the console shows to
 * the admins, or with null that it works. May be called at every attempt: only a change is written, and the time since
 * when stays while the code does. The message is for people and holds no credential.
 */
export const noteChannelProblem = (
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
