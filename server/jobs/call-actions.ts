// Makes the calls that runs of flows wait for, and those of proposals of the AI agent that were confirmed. The action_calls table is the queue: a commit announces what is due, and a
// check of the table every second finds what was announced while nobody listened. A host that hangs holds up only its
// own calls: those of one host and of one workspace have a limit each, below that of the process.
import { CALL_WAIT_MS } from '../../flow-engine/delegate.ts'
import {
  CALLS_CHANNEL,
  type ClaimedCall,
  claimCall,
  type DueCall,
  listDueCalls,
  postponeCall,
} from '../domain/actions/call-queries.ts'
import { type CallResult, notAnswered } from '../domain/actions/call-result.ts'
import { finishCall } from '../domain/actions/finish-call.ts'
import { performCall } from '../domain/actions/perform-call.ts'
import { findAction, type StoredAction } from '../domain/actions/queries.ts'
import { TIMEOUT_MAX_MS } from '../domain/actions/schema.ts'
import { findGuidance } from '../domain/ai/guidance/find-guidance.ts'
import { meetsNeed } from '../domain/ai/identity/identity.ts'
import { findIdentity } from '../domain/ai/identity/queries.ts'
import { fingerprintOf } from '../domain/ai/proposals/proposal.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import { listenAlong } from '../platform/db/listen-along.ts'
import type { JobDeps } from './deps.ts'
import { withRetries } from './hand-over.ts'
import { makeLook } from './make-look.ts'
import { dropCall, holdCall, leaveCall, releaseAbandonedCalls } from './release-calls.ts'

export const RUNNING_MAX = 96
export const PER_WORKSPACE_MAX = 24
/** Of one workspace's host. */
export const PER_HOST_MAX = 8
const HOSTS_MAX = 1_000
const TRIES_MAX = 2
const AGAIN_MS = 1_000
const SWEEP_MS = 20_000
/** The run has given up by then. */
const EXPIRES_MS = CALL_WAIT_MS - TIMEOUT_MAX_MS

type Options = { connectionString: string; pollMs: number }

export const startCaller = async (
  deps: JobDeps,
  { connectionString, pollMs }: Options,
): Promise<{ stop: () => Promise<void> }> => {
  const limits = makeLimits()
  const running = new Map<string, Promise<void>>()
  let isStopping = false
  /** Something is due that a limit holds back until a call ends. */
  let isHeldBack = false
  let cursor: Pick<DueCall, 'workspaceId' | 'host'> | null = null

  const start = (due: DueCall): void => {
    limits.take(due)
    const work = makeCall(deps, due)
      .catch((error: unknown) =>
        deps.log.warn(
          { err: error, workspaceId: due.workspaceId, callId: due.id },
          'a call of an action failed',
        ),
      )
      .finally(() => {
        limits.give(due)
        running.delete(due.id)
        if (isHeldBack) check()
      })
    running.set(due.id, work)
  }

  const startDue = async (): Promise<void> => {
    const bounds = { hostsMax: HOSTS_MAX, perHostMax: PER_HOST_MAX }
    const { due, next } = await listDueCalls(deps.db, deps.now(), cursor, bounds)
    cursor = next
    isHeldBack = false
    for (const one of due) {
      if (running.has(one.id) || isStopping) continue
      if (limits.has(one)) start(one)
      else isHeldBack = true
    }
    // There may be more of a host than were asked for.
    if (due.length >= PER_HOST_MAX) isHeldBack = true
  }

  const { wake: check, current } = makeLook({
    look: startDue,
    isStopping: () => isStopping,
    onError: (error) => deps.log.warn({ err: error }, 'due calls of actions could not be looked up'),
  })

  const listener = await listenAlong({
    connectionString,
    channel: CALLS_CHANNEL,
    onNotified: check,
    onListening: check,
    log: deps.log,
  })
  const polling = setInterval(check, pollMs)
  const sweep = () =>
    releaseAbandonedCalls(deps).catch((error: unknown) =>
      deps.log.warn({ err: error }, 'abandoned calls of actions could not be released'),
    )
  const sweeping = setInterval(() => void sweep(), SWEEP_MS)
  check()

  return {
    stop: async () => {
      isStopping = true
      clearInterval(polling)
      clearInterval(sweeping)
      await listener.close()
      await current()
      await Promise.all(running.values())
    },
  }
}

/** How many calls run, of the process, of each workspace, and of each workspace's host. */
const makeLimits = () => {
  const counts = new Map<string, number>()
  const bounds = ({ workspaceId, host }: DueCall): [string, number][] => [
    ['', RUNNING_MAX],
    [workspaceId, PER_WORKSPACE_MAX],
    [`${workspaceId} ${host}`, PER_HOST_MAX],
  ]
  const add = (due: DueCall, change: 1 | -1): void => {
    for (const [key] of bounds(due)) {
      const count = (counts.get(key) ?? 0) + change
      if (count === 0) counts.delete(key)
      else counts.set(key, count)
    }
  }
  return {
    has: (due: DueCall): boolean => bounds(due).every(([key, max]) => (counts.get(key) ?? 0) < max),
    take: (due: DueCall) => add(due, 1),
    give: (due: DueCall) => add(due, -1),
  }
}

const makeCall = async (deps: JobDeps, { workspaceId, id }: DueCall): Promise<void> => {
  const ctx = systemCtx(deps, workspaceId)
  const call = await claimCall(ctx, id)
  if (!call) return
  holdCall(call)
  let result: CallResult
  try {
    result = await perform(ctx, call)
  } catch (error) {
    // An error of ours, such as a database outage: no request was made.
    dropCall(call)
    await postponeCall(ctx, call, new Date(ctx.now().getTime() + AGAIN_MS))
    throw error
  }
  try {
    await withRetries(deps, async () => {
      if (result.canRepeat && call.tries < TRIES_MAX)
        await postponeCall(ctx, call, new Date(ctx.now().getTime() + AGAIN_MS))
      else await finishCall(ctx, call, result)
    })
  } catch (error) {
    leaveCall(call)
    throw error
  }
  dropCall(call)
  logCall(ctx, call, result)
}

const perform = async (ctx: Ctx, call: ClaimedCall): Promise<CallResult> => {
  const isLate = ctx.now().getTime() - Date.parse(call.createdAt) > EXPIRES_MS
  if (!call.isAwaited || isLate)
    return notMade('NOT_AWAITED', 'Nobody waited for it any more, so the call was not made.')
  const action = await findAction(ctx, call.actionId)
  if (!action) return notMade('ACTION_MISSING', 'The action was deleted.')
  if (call.fingerprint !== null && !(await isAsProposed(ctx, action, call.fingerprint)))
    return notMade('ACTION_CHANGED', 'The action was changed after it was proposed, so it was not called.')
  // What a proposal needs was looked at when it was confirmed.
  const isOpenTo = action.needs !== 'verified' || call.proposalId !== null
  if (!isOpenTo && !meetsNeed(await findIdentity(ctx, call.conversationId), action.needs))
    return { ...notMade('NOT_VERIFIED', 'The customer hasn’t shown who they are.'), outcome: 'refused' }
  try {
    return await performCall(ctx, action, call.parameters, {
      idempotencyKey: call.proposalId ?? `${call.runId}.${call.token}`,
    })
  } catch (error) {
    ctx.log.error({ err: error, workspaceId: ctx.workspaceId, callId: call.id }, 'a call of an action broke')
    return {
      ...notMade('INTERNAL_ERROR', 'Something went wrong on our side during the call.'),
      outcome: action.isRepeatable ? 'failed' : 'unknown',
    }
  }
}

/** Whether what was confirmed is what would be called, and still opened to the AI agent. */
const isAsProposed = async (ctx: Ctx, action: StoredAction, fingerprint: string): Promise<boolean> =>
  fingerprintOf(action) === fingerprint && (await findGuidance(ctx)).guidance.actionIds.includes(action.id)

const notMade = (code: string, message: string): CallResult => notAnswered('failed', { code, message })

/** Ids and codes only: values may be private, and addresses contain values. */
const logCall = (ctx: Ctx, call: ClaimedCall, { outcome, status, problem }: CallResult): void => {
  const { id: callId, runId, proposalId, actionId, tries } = call
  const details = {
    workspaceId: ctx.workspaceId,
    callId,
    runId,
    proposalId,
    actionId,
    tries,
    outcome,
    status,
  }
  if (outcome === 'done' || outcome === 'notFound') ctx.log.debug(details, 'an action was called')
  else ctx.log.info({ ...details, code: problem?.code }, 'an action was called without success')
}
