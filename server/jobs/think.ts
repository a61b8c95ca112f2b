// Lets the AI agent think about what customers wrote to it. What is due are rows: a commit announces a turn, a timer
// waits until the customer has stopped typing, and a check every second finds what was announced while nobody listened.
// Nothing is sent from here: the conductor decides whether a thought is still wanted (domain/flow-runs/plan-ai.ts).
import { giveUpTurn, TRIES_MAX, takeTurn } from '../domain/ai/take-turn.ts'
import {
  type ClaimedTurn,
  claimTurn,
  type DueTurn,
  listWaitingTurns,
  postponeTurn,
  releaseAbandonedTurns,
  TURNS_CHANNEL,
} from '../domain/ai/turn-queries.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { type SystemDeps, systemCtx } from '../platform/ctx/system-ctx.ts'
import { isOutage } from '../platform/db/failures.ts'
import { listen } from '../platform/db/listen.ts'
import type { JobDeps } from './deps.ts'

/** Turns at once. Each is a search, which the database computes. */
const RUNNING_MAX = 4
/** That one check finds. */
const WAITING_MAX = 200
const AGAIN_MS = 1_000
const SWEEP_MS = 5_000
/** Nobody thinks longer: a claim from before was lost. */
const LEASE_MS = 15_000

export type Thinker = {
  /** Looks for turns that are due, once. */
  look: () => void
  /** Takes turns that are due until none is, and waits until it is done. */
  thinkDue: () => Promise<void>
  stop: () => Promise<void>
}

export const makeThinker = (deps: SystemDeps): Thinker => {
  const running = new Map<string, Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let isStopping = false
  let isWanted = false
  let checking: Promise<void> | undefined

  const start = ({ workspaceId, id }: DueTurn): void => {
    const work = thinkAbout(systemCtx(deps, workspaceId), id)
      .catch((error: unknown) =>
        deps.log.warn({ err: error, workspaceId, turnId: id }, 'a turn of the AI agent failed'),
      )
      .finally(() => {
        running.delete(id)
        look()
      })
    running.set(id, work)
  }

  const startDue = async (): Promise<void> => {
    clearTimeout(timer)
    const waiting = await listWaitingTurns(deps.db, WAITING_MAX)
    const now = deps.now().getTime()
    for (const turn of waiting) {
      if (isStopping) return
      if (running.has(turn.id)) continue
      const waitMs = Date.parse(turn.dueAt) - now
      if (waitMs > 0) {
        timer = setTimeout(look, waitMs)
        return
      }
      // Whoever ends looks again.
      if (running.size >= RUNNING_MAX) return
      start(turn)
    }
  }

  const look = (): void => {
    isWanted = true
    checking ??= (async () => {
      while (isWanted && !isStopping) {
        isWanted = false
        await startDue()
      }
    })()
      .catch((error: unknown) =>
        deps.log.warn({ err: error }, 'turns of the AI agent could not be looked up'),
      )
      .finally(() => {
        checking = undefined
      })
  }

  const untilIdle = async (): Promise<void> => {
    while (checking || running.size > 0) await Promise.all([checking, ...running.values()])
  }

  return {
    look,
    thinkDue: async () => {
      look()
      await untilIdle()
    },
    stop: async () => {
      isStopping = true
      clearTimeout(timer)
      await untilIdle()
      clearTimeout(timer)
    },
  }
}

const thinkAbout = async (ctx: Ctx, id: string): Promise<void> => {
  const turn = await claimTurn(ctx, id)
  if (!turn) return
  try {
    await takeTurn(ctx, turn)
  } catch (error) {
    await afterFailure(ctx, turn, error)
    throw error
  }
}

/** It is tried again; whoever can't be replied to gets a person. */
const afterFailure = async (ctx: Ctx, turn: ClaimedTurn, error: unknown): Promise<void> => {
  if (isOutage(error) || turn.tries < TRIES_MAX)
    await postponeTurn(ctx, turn, new Date(ctx.now().getTime() + AGAIN_MS))
  else await giveUpTurn(ctx, turn)
}

type Options = { connectionString: string; pollMs: number }

export const startThinker = async (
  deps: JobDeps,
  { connectionString, pollMs }: Options,
): Promise<Pick<Thinker, 'stop'>> => {
  const thinker = makeThinker(deps)
  const listener = await listen({
    connectionString,
    channel: TURNS_CHANNEL,
    name: 'thinker',
    onNotified: thinker.look,
    onListening: thinker.look,
    log: deps.log,
  })
  const polling = setInterval(thinker.look, pollMs)
  const sweep = () =>
    releaseAbandonedTurns(deps.db, new Date(deps.now().getTime() - LEASE_MS)).catch((error: unknown) =>
      deps.log.warn({ err: error }, 'abandoned turns of the AI agent could not be released'),
    )
  const sweeping = setInterval(() => void sweep(), SWEEP_MS)
  return {
    stop: async () => {
      clearInterval(polling)
      clearInterval(sweeping)
      await listener.close()
      await thinker.stop()
    },
  }
}
