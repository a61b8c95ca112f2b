// Lets the AI agent think about what customers wrote to it. What is due are rows: a commit announces a turn, a timer
// waits until the customer has stopped typing, and a check every second finds what was announced while nobody listened.
// Nothing is sent from here: the conductor decides whether a thought is still wanted (domain/flow-runs/plan-ai.ts).

import { giveUpDraft, takeDraft } from '../domain/ai/drafts/take-draft.ts'
import { TurnDelayed, TurnOver } from '../domain/ai/turn/ask-model.ts'
import { giveUpTurn, TRIES_MAX, takeTurn } from '../domain/ai/turn/take-turn.ts'
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
import { listenAlong } from '../platform/db/listen-along.ts'
import { inSpan } from '../platform/tracing.ts'
import type { JobDeps } from './deps.ts'
import { makeLook } from './make-look.ts'
import { makeProviderTyping, makeTurnTyping } from './show-typing.ts'

/** Turns at once. With a model, most of each is waiting for a provider; searches take turns among themselves. */
const RUNNING_MAX = 32
/** Of one workspace: a provider that hangs doesn't hold up the turns of others. */
const WORKSPACE_MAX = 8
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

/** `requestMaxMs`: of a request to a provider, for tests that don't wait as long as customers do. */
export const makeThinker = (
  deps: SystemDeps & Pick<JobDeps, 'ephemeral'>,
  { requestMaxMs }: { requestMaxMs?: number } = {},
): Thinker => {
  const turnTyping = makeTurnTyping(deps)
  const running = new Map<string, { workspaceId: string; work: Promise<void> }>()
  const ending = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let isStopping = false

  const start = ({ workspaceId, id }: DueTurn): void => {
    const work = thinkAbout(systemCtx(deps, workspaceId), id, { signal: ending.signal, requestMaxMs })
      .catch((error: unknown) =>
        deps.log.warn({ err: error, workspaceId, turnId: id }, 'a turn of the AI agent failed'),
      )
      .finally(() => {
        running.delete(id)
        look()
      })
    running.set(id, { workspaceId, work })
  }

  const fullWorkspaces = (): string[] => {
    const counts = new Map<string, number>()
    for (const { workspaceId } of running.values())
      counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + 1)
    return [...counts].flatMap(([workspaceId, count]) => (count >= WORKSPACE_MAX ? [workspaceId] : []))
  }

  const startDue = async (): Promise<void> => {
    clearTimeout(timer)
    const waiting = await listWaitingTurns(deps.db, { max: WAITING_MAX, notOf: fullWorkspaces() })
    turnTyping.follow(waiting)
    const now = deps.now().getTime()
    for (const turn of waiting) {
      if (isStopping) return
      if (running.has(turn.id) || fullWorkspaces().includes(turn.workspaceId)) continue
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

  const { wake: look, current } = makeLook({
    look: startDue,
    isStopping: () => isStopping,
    onError: (error) => deps.log.warn({ err: error }, 'turns of the AI agent could not be looked up'),
  })

  const untilIdle = async (): Promise<void> => {
    while (current() || running.size > 0)
      await Promise.all([current(), ...[...running.values()].map(({ work }) => work)])
  }

  return {
    look,
    thinkDue: async () => {
      look()
      await untilIdle()
    },
    stop: async () => {
      isStopping = true
      ending.abort()
      clearTimeout(timer)
      await untilIdle()
      clearTimeout(timer)
    },
  }
}

type Following = { signal: AbortSignal; requestMaxMs: number | undefined }

const thinkAbout = async (ctx: Ctx, id: string, following: Following): Promise<void> => {
  const { signal } = following
  const turn = await claimTurn(ctx, id)
  if (!turn) return
  const typing = makeProviderTyping(ctx, id, signal)
  let waitMs: number | null
  try {
    waitMs = await inSpan('think', turnSpan(ctx, turn), () =>
      unlessDelayed(
        turn.kind === 'reply'
          ? takeTurn(ctx, turn, { ...following, onAsked: typing.show })
          : takeDraft(ctx, turn, signal),
      ),
    )
  } catch (error) {
    await afterFailure(ctx, turn, error)
    throw error
  } finally {
    typing.end()
  }
  if (waitMs !== null) await postponeTurn(ctx, turn, new Date(ctx.now().getTime() + waitMs), { isTry: false })
}

/** How long to wait before the next try, if there has to be one that is no failure of this. */
const unlessDelayed = async (work: Promise<void>): Promise<number | null> => {
  try {
    await work
    return null
  } catch (error) {
    // Of a process that ends, another takes it. What was superseded is due again already, or over.
    if (error instanceof TurnOver) return 0
    if (error instanceof TurnDelayed) return error.afterMs
    throw error
  }
}

const turnSpan = ({ workspaceId }: Ctx, { id, conversationId, tries, traceparent }: ClaimedTurn) => ({
  kind: 'consumer' as const,
  parent: traceparent ?? null,
  attributes: {
    'foyer.workspace_id': workspaceId,
    'foyer.conversation_id': conversationId,
    'foyer.turn_id': id,
    'foyer.attempt': tries,
  },
})

/** It is tried again; whoever can't be replied to gets a person. */
const afterFailure = async (ctx: Ctx, turn: ClaimedTurn, error: unknown): Promise<void> => {
  if (isOutage(error) || turn.tries < TRIES_MAX)
    await postponeTurn(ctx, turn, new Date(ctx.now().getTime() + AGAIN_MS))
  else await (turn.kind === 'reply' ? giveUpTurn : giveUpDraft)(ctx, turn)
}

type Options = { connectionString: string; pollMs: number }

export const startThinker = async (
  deps: JobDeps,
  { connectionString, pollMs }: Options,
): Promise<Pick<Thinker, 'stop'>> => {
  const thinker = makeThinker(deps)
  const listener = await listenAlong({
    connectionString,
    channel: TURNS_CHANNEL,
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
