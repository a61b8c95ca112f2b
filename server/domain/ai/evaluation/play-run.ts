// Plays the tests of a run, one after the other. Each result is stored when it is there, so a process that dies costs
// the test that it was playing, which is played again.
import { setTimeout as delay } from 'node:timers/promises'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { findProvider } from '../provider/find-provider.ts'
import { TurnOver } from '../turn/ask-model.ts'
import { playTest } from './play-test.ts'
import { type DueTest, endRun, isRunning, storeResult, takeNext } from './run-queries.ts'

/** Something about it ends whoever plays it. */
const TRIES_MAX = 5
const CANCEL_CHECK_MS = 1_000
/** Of what is kept of a message. */
const SAID_MAX = 4_000

type Turn = { signal: AbortSignal; turnMs: number }

/** True if there is more to play: the turn is over, or the process ends. */
export const playRun = async (ctx: Ctx, runId: string, { signal, turnMs }: Turn): Promise<boolean> => {
  const endsAtMs = performance.now() + turnMs
  while (!signal.aborted && performance.now() < endsAtMs) {
    const due = await takeNext(ctx, runId)
    if (!due) {
      await endRun(ctx, runId, 'ended')
      return false
    }
    if (!(await playWhileWanted(ctx, runId, due, signal))) return isRunning(ctx, runId)
  }
  return true
}

/** False if it was interrupted. */
const playWhileWanted = async (
  ctx: Ctx,
  runId: string,
  due: DueTest,
  signal: AbortSignal,
): Promise<boolean> => {
  const ended = new AbortController()
  const cancelled = new AbortController()
  const watching = watchRun(ctx, runId, ended.signal, cancelled)
  try {
    await storeResult(ctx, runId, due, await play(ctx, due, AbortSignal.any([signal, cancelled.signal])))
    return true
  } catch (error) {
    if (signal.aborted || cancelled.signal.aborted || error instanceof TurnOver) return false
    throw error
  } finally {
    ended.abort()
    await watching
  }
}

const watchRun = async (
  ctx: Ctx,
  runId: string,
  ended: AbortSignal,
  cancelled: AbortController,
): Promise<void> => {
  while (!ended.aborted && !cancelled.signal.aborted) {
    await delay(CANCEL_CHECK_MS, undefined, { signal: ended }).catch(() => {})
    // The next look finds out.
    if (!ended.aborted && !(await isRunning(ctx, runId).catch(() => true))) cancelled.abort()
  }
}

const play = async (
  ctx: Ctx,
  { tries, isOwn, scenario, version, given }: DueTest,
  signal: AbortSignal,
): Promise<Parameters<typeof storeResult>[3]> => {
  if (ctx.isAiOff) return skipped('the AI agent is turned off on this server')
  if (tries > TRIES_MAX) return skipped('it stopped whoever played it')
  const provider = await findProvider(ctx)
  const played = await playTest(ctx, scenario, {
    provider,
    live: { version, guidance: given },
    signal,
    mayDoWithout: isOwn,
  })
  if ('skipped' in played) return skipped(played.skipped)
  const { checks, outcome } = played
  return {
    state: checks.every(({ isMet }) => isMet) ? 'passed' : 'failed',
    checks,
    said: outcome.messages.map((text) => text.slice(0, SAID_MAX)),
    skipped: null,
  }
}

const skipped = (why: string): Parameters<typeof storeResult>[3] => ({
  state: 'skipped',
  checks: [],
  said: [],
  skipped: why,
})
