// Decides who is notified of what the relay passed on, and sends it to browsers. A part of the worker of its own: push
// services that hang never slow down what goes to customers.
import { makePresence } from '../console-api/presence.ts'
import { NOTIFICATIONS_CHANNEL } from '../domain/notifications/add-inputs.ts'
import { decideNotifications } from '../domain/notifications/decide.ts'
import { listInputWorkspaces } from '../domain/notifications/decide-queries.ts'
import { ensurePushKeys, type PushKeys } from '../domain/notifications/push-keys.ts'
import { type ClaimedPush, claimPushes, delayPush, deletePush } from '../domain/notifications/push-queries.ts'
import { type PushOutcome, sendPush } from '../domain/notifications/send-push.ts'
import { deleteSubscription } from '../domain/notifications/subscription-queries.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import { listenAlong } from '../platform/db/listen-along.ts'
import { makeDb, makePool } from '../platform/db/pool.ts'
import { pushesSent } from '../platform/metrics.ts'
import type { JobDeps } from './deps.ts'
import { makeLook } from './make-look.ts'

const CONNECTIONS = 2
const UNDER_WAY_MAX = 100
/** Of one push service: one that hangs leaves room for the others. */
const PER_HOST_MAX = 30
/** Automation that is still at work may take care of it. */
const UNDECIDED_AGAIN_MS = 200

type Options = { connectionString: string; pollMs: number }

export const startNotifier = async (
  deps: JobDeps,
  { connectionString, pollMs }: Options,
): Promise<{ stop: () => Promise<void> }> => {
  const warn = (what: string) => (error: unknown) => deps.log.warn({ err: error }, what)
  const pool = makePool({
    connectionString,
    max: CONNECTIONS,
    applicationName: 'foyer notifications',
    onError: warn('a connection for notifications was lost'),
  })
  const db = makeDb(pool)
  const presence = makePresence(deps)
  const stopFollowing = deps.ephemeral?.subscribe((signal) => {
    if (signal.type === 'agent.at') presence.update(signal)
  })
  let isStopping = false
  let again: ReturnType<typeof setTimeout> | undefined

  const decide = async (): Promise<void> => {
    const waiting = await listInputWorkspaces(db, deps.now())
    for (const { workspaceId, isReady } of waiting) {
      if (!isReady || isStopping) continue
      const isLooking = (conversationId: string, accountId: string): boolean =>
        presence.list({ workspaceId, conversationId }).some(({ agent }) => agent.id === accountId)
      const { notified, taken } = await decideNotifications(
        systemCtx({ ...deps, db }, workspaceId),
        isLooking,
      )
      if (notified > 0) sender.check()
      if (taken > 0) wake()
    }
    clearTimeout(again)
    if (waiting.some(({ isReady }) => !isReady)) again = setTimeout(wake, UNDECIDED_AGAIN_MS)
  }
  const { wake, current } = makeLook({
    look: decide,
    isStopping: () => isStopping,
    onError: warn('it could not be decided who is notified'),
  })
  const sender = makeSender({ ...deps, db }, () => isStopping)
  const check = (): void => {
    wake()
    sender.check()
  }
  const listener = await listenAlong({
    connectionString,
    channel: NOTIFICATIONS_CHANNEL,
    onNotified: wake,
    onListening: check,
    log: deps.log,
  })
  const polling = setInterval(check, pollMs)
  check()

  return {
    stop: async () => {
      isStopping = true
      clearInterval(polling)
      clearTimeout(again)
      stopFollowing?.()
      await listener.close()
      await current()
      await sender.stop()
      await pool.end()
    },
  }
}

/** Sends what is due, some to each push service at a time. */
const makeSender = (deps: JobDeps, isStopping: () => boolean) => {
  const { db } = deps
  const underWay = new Map<string, number>()
  const running = new Set<Promise<void>>()
  let keys: Promise<PushKeys> | undefined

  const send = async (push: ClaimedPush): Promise<void> => {
    if (!push.isWanted) return deletePush(db, push)
    keys ??= ensurePushKeys(deps)
    const outcome = await sendPush(push, { keys: await keys, publicUrl: deps.publicUrl })
    pushesSent.inc({ outcome: outcome.is })
    await recordOutcome(deps, push, outcome)
  }

  const start = (push: ClaimedPush): void => {
    const { host, workspaceId, notificationId } = push
    underWay.set(host, (underWay.get(host) ?? 0) + 1)
    const work = send(push)
      .catch((error: unknown) => {
        // Another pair may be stored by now.
        keys = undefined
        deps.log.warn({ err: error, workspaceId, notificationId }, 'a notification could not be sent')
      })
      .finally(() => {
        const left = underWay.get(host)! - 1
        if (left === 0) underWay.delete(host)
        else underWay.set(host, left)
        running.delete(work)
        look.wake()
      })
    running.add(work)
  }

  const look = makeLook({
    look: async () => {
      const busyHosts = [...underWay].filter(([, count]) => count >= PER_HOST_MAX).map(([host]) => host)
      const max = Math.min(UNDER_WAY_MAX - running.size, PER_HOST_MAX)
      if (max <= 0) return
      for (const push of await claimPushes(db, deps.now(), { busyHosts, max })) start(push)
    },
    isStopping,
    onError: (error) => deps.log.warn({ err: error }, 'due notifications could not be looked up'),
  })

  return {
    check: look.wake,
    stop: async (): Promise<void> => {
      await look.current()
      await Promise.all(running)
    },
  }
}

const recordOutcome = (deps: JobDeps, push: ClaimedPush, outcome: PushOutcome): Promise<void> => {
  switch (outcome.is) {
    case 'failed':
      return delayPush(deps.db, push, new Date(deps.now().getTime() + outcome.againMs))
    case 'gone':
      // Whatever else is on its way there goes with it.
      return deleteSubscription(deps.db, push.subscriptionId)
    default:
      return deletePush(deps.db, push)
  }
}
