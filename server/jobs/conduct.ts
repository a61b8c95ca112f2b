// Runs the conductor for every conversation that has something for it. What is due are rows: a commit announces inputs,
// and a check every second finds runs to wake, silences, and whatever was announced while nobody listened. So nothing is
// lost with a process, and any number of processes may do this at once.
import { AUTOMATION_CHANNEL, readAnnouncement } from '../domain/automation/inputs.ts'
import { conductConversations } from '../domain/flow-runs/conduct-conversations.ts'
import { type DueConversation, listDueConversations } from '../domain/flow-runs/due-queries.ts'
import { type SystemDeps, systemCtx } from '../platform/ctx/system-ctx.ts'
import { isOutage } from '../platform/db/failures.ts'
import { listenAlong } from '../platform/db/listen-along.ts'
import { automationFailures, countAiTurns, sprintsMade } from '../platform/metrics.ts'
import type { JobDeps } from './deps.ts'

/** Conversations in one transaction: with more, those at its end wait for those at its beginning. */
const BATCH_MAX = 50
/** Transactions at once. Each keeps a connection, and what they lock others may wait for. */
const BATCHES_MAX = 3
/** Of each kind that one check finds. More are looked for as soon as these are nearly done. */
const DUE_MAX = 500
/** Somebody is writing to the conversation at the moment. */
const BUSY_MS = 15
/** After an error of our own that even leaving the conversation to people met. */
const REST_MS = 60_000

export type Conductor = {
  /** Looks for what is due, once. */
  look: () => Promise<unknown>
  /** Looks for what is due until nothing is, and waits until it is done. */
  conductDue: () => Promise<void>
  add: (due: DueConversation) => void
  stop: () => Promise<void>
}

/** What waits, by workspace, which take turns. A conversation that is being conducted waits until that is done. */
const makeLine = () => {
  const waiting = new Map<string, Set<string>>()
  const conducted = new Set<string>()
  return {
    conducted,
    count: (): number => [...waiting.values()].reduce((count, { size }) => count + size, 0),
    clear: (): void => waiting.clear(),
    add: ({ workspaceId, conversationId }: DueConversation): void => {
      waiting.set(workspaceId, (waiting.get(workspaceId) ?? new Set()).add(conversationId))
    },
    /** To be followed by leave. */
    take: (): { workspaceId: string; ids: string[] } | undefined => {
      for (const [workspaceId, own] of waiting) {
        const ids: string[] = []
        for (const id of own) {
          if (ids.length === BATCH_MAX) break
          if (!conducted.has(id)) ids.push(id)
        }
        if (ids.length === 0) continue
        for (const id of ids) {
          own.delete(id)
          conducted.add(id)
        }
        waiting.delete(workspaceId)
        if (own.size > 0) waiting.set(workspaceId, own)
        return { workspaceId, ids }
      }
      return undefined
    },
    leave: (ids: readonly string[]): void => {
      for (const id of ids) conducted.delete(id)
    },
  }
}

export const makeConductor = (deps: SystemDeps): Conductor => {
  const line = makeLine()
  const resting = new Map<string, number>()
  const later = new Set<NodeJS.Timeout>()
  let batches = 0
  let isStopping = false
  let isMoreDue = false
  let idle: (() => void)[] = []

  const add = (due: DueConversation): void => {
    if (isStopping || (resting.get(due.conversationId) ?? 0) > performance.now()) return
    line.add(due)
    pump()
  }

  const pump = (): void => {
    for (let batch = take(); batch; batch = take()) {
      const { workspaceId, ids } = batch
      batches++
      void conduct(workspaceId, ids).finally(() => {
        batches--
        line.leave(ids)
        pump()
        if (isMoreDue && line.count() < DUE_MAX / 2) void look()
      })
    }
    if (batches > 0 || later.size > 0) return
    const callbacks = idle
    idle = []
    for (const callback of callbacks) callback()
  }
  const take = () => (batches < BATCHES_MAX ? line.take() : undefined)

  const conduct = async (workspaceId: string, ids: readonly string[]): Promise<void> => {
    try {
      const conducted = await conductConversations(systemCtx(deps, workspaceId), ids)
      const { sprints, busy, more, failed, aiTurns } = conducted
      sprintsMade.inc(sprints)
      automationFailures.inc(failed)
      countAiTurns(aiTurns)
      for (const conversationId of more) add({ workspaceId, conversationId })
      if (busy.length > 0) addLater(busy.map((conversationId) => ({ workspaceId, conversationId })))
    } catch (error) {
      // They are rows still: the next check finds them.
      deps.log.warn({ err: error, workspaceId }, 'conversations could not be conducted')
      if (!isOutage(error)) for (const id of ids) resting.set(id, performance.now() + REST_MS)
    }
  }

  const addLater = (due: readonly DueConversation[]): void => {
    const timer = setTimeout(() => {
      later.delete(timer)
      for (const one of due) add(one)
      pump()
    }, BUSY_MS)
    later.add(timer)
  }

  const look = once(async () => {
    const due = await listDueConversations(deps.db, deps.now(), DUE_MAX)
    for (const [id, untilMs] of resting) if (untilMs <= performance.now()) resting.delete(id)
    const open = due.filter(({ conversationId }) => !resting.has(conversationId))
    isMoreDue = open.length >= DUE_MAX
    for (const one of open) if (!line.conducted.has(one.conversationId)) add(one)
    return open.length
  }, deps.log)

  const untilIdle = (): Promise<void> =>
    new Promise((resolve) => {
      idle.push(resolve)
      pump()
    })

  return {
    look,
    add,
    conductDue: async () => {
      do await untilIdle()
      while ((await look()) > 0)
    },
    stop: async () => {
      isStopping = true
      line.clear()
      for (const timer of later) clearTimeout(timer)
      later.clear()
      await untilIdle()
    },
  }
}

/** Shared by those who ask at once. An outage counts as nothing being due: the next check comes soon. */
const once = (work: () => Promise<number>, log: SystemDeps['log']): (() => Promise<number>) => {
  let running: Promise<number> | undefined
  return () => {
    running ??= work()
      .catch((error: unknown) => {
        log.warn({ err: error }, 'conversations for automation could not be looked up')
        return 0
      })
      .finally(() => {
        running = undefined
      })
    return running
  }
}

type Options = { connectionString: string; pollMs: number }

export const startConductor = async (
  deps: JobDeps,
  { connectionString, pollMs }: Options,
): Promise<Pick<Conductor, 'stop'>> => {
  const conductor = makeConductor(deps)
  const look = (): void => void conductor.look()
  const listener = await listenAlong({
    connectionString,
    channel: AUTOMATION_CHANNEL,
    onNotified: (payload) => {
      const due = readAnnouncement(payload)
      if (due) conductor.add(due)
    },
    onListening: look,
    log: deps.log,
  })
  const polling = setInterval(look, pollMs)
  return {
    stop: async () => {
      clearInterval(polling)
      await listener.close()
      await conductor.stop()
    },
  }
}
