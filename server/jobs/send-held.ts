// Sends what people can no longer undo. What is due are rows: a check every second finds them a little before their
// time, and a timer waits for it.
import { findMember } from '../domain/accounts/session-queries.ts'
import { type DueMessage, listDue, saveProblem } from '../domain/outbox/queries.ts'
import { sendDue } from '../domain/outbox/send-held.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { type SystemDeps, systemCtx } from '../platform/ctx/system-ctx.ts'
import { isOutage } from '../platform/db/failures.ts'
import { ApiError } from '../platform/errors.ts'
import { makeLook } from './make-look.ts'

const RUNNING_MAX = 8
const FOUND_MAX = 100
/** How long before its time a message is found. */
const AHEAD_MS = 2_000

/** `look` sends what is due, once. */
export const makeHeldSender = (deps: SystemDeps) => {
  /** By conversation, in which one goes after the other. */
  const running = new Map<string, Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let isStopping = false

  const start = (due: DueMessage): void => {
    const { workspaceId, id: heldId, conversationId } = due
    const work = sendOne(systemCtx(deps, workspaceId), due)
      .finally(() => running.delete(conversationId))
      // After an error, the next check tries again.
      .then(wake, (error: unknown) =>
        deps.log.warn({ err: error, workspaceId, heldId }, 'a held message could not be sent'),
      )
    running.set(conversationId, work)
  }

  const startDue = async (): Promise<void> => {
    clearTimeout(timer)
    const now = deps.now().getTime()
    const due = await listDue(deps.db, {
      by: new Date(now + AHEAD_MS),
      max: FOUND_MAX,
      notIn: [...running.keys()],
    })
    for (const one of due) {
      if (isStopping || running.size >= RUNNING_MAX) return
      const waitMs = Date.parse(one.dueAt) - now
      if (waitMs > 0) {
        timer = setTimeout(wake, waitMs)
        return
      }
      if (!running.has(one.conversationId)) start(one)
    }
  }

  const { wake, current } = makeLook({
    look: startDue,
    isStopping: () => isStopping,
    onError: (error) => deps.log.warn({ err: error }, 'held messages could not be looked up'),
  })

  const untilIdle = async (): Promise<void> => {
    while (current() || running.size > 0) await Promise.all([current(), ...running.values()])
  }
  return {
    look: wake,
    /** Sends what is due, and waits until that is done. */
    sendDue: async (): Promise<void> => {
      wake()
      await untilIdle()
    },
    stop: async (): Promise<void> => {
      isStopping = true
      clearTimeout(timer)
      await untilIdle()
      clearTimeout(timer)
    },
  }
}

/** As its author. What is refused stays with them, and says why. */
const sendOne = async (ctx: Ctx, { id, accountId }: DueMessage): Promise<void> => {
  try {
    const member = await findMember(ctx, accountId)
    if (!member) throw new ApiError('FORBIDDEN', { message: 'You are no longer a member of this workspace.' })
    await sendDue({ ...ctx, actor: { type: 'agent', accountId, ...member } }, id)
  } catch (error) {
    if (isOutage(error)) throw error
    const code = error instanceof ApiError ? error.code : 'INTERNAL_ERROR'
    if (code === 'TOO_LATE_TO_UNDO') return
    await saveProblem(ctx, id, { code, message: wordsOf(error) })
    if (code === 'INTERNAL_ERROR') throw error
  }
}

const wordsOf = (error: unknown): string => {
  if (!(error instanceof ApiError)) return 'Something went wrong on our side. Try again.'
  if (error.code !== 'VALIDATION_ERROR') return error.message
  return (error.details ?? []).map(({ field, message }) => `${field} ${message}`).join(', ')
}

export const startHeldSender = (deps: SystemDeps, { pollMs }: { pollMs: number }) => {
  const sender = makeHeldSender(deps)
  sender.look()
  const polling = setInterval(sender.look, pollMs)
  return {
    stop: async (): Promise<void> => {
      clearInterval(polling)
      await sender.stop()
    },
  }
}
