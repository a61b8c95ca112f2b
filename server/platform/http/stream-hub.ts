// Fans live events out to the event streams open at this process, with one subscription for all of them. A policy
// decides who may receive an event and in what form; the hub handles followers, order, limits and resuming. Whenever
// delivery is uncertain the stream is ended: the client reconnects and resumes from the last event it received.
import type { FastifyBaseLogger } from 'fastify'
import type { Ephemeral } from '../live/ephemeral.ts'
import type { LiveEvent } from '../live/replay.ts'
import type { Stream } from '../live/stream.ts'
import { makeSetIndex } from './set-index.ts'
import type { EventStream } from './sse.ts'

/** Events waiting for the policy, and notices held back for one follower that is catching up. */
const WAITING_MAX = 5_000
/** Events passed to the policy at once. */
const BATCH_MAX = 200
/** How often the policy checks its followers. Presence depends on it: an agent not seen for a minute is offline. */
const CHECK_EVERY_MS = 20_000

/** An event as one follower receives it. */
export type Notice = {
  /** Where the client resumes. Of two cursors, the later one compares greater as a string. */
  cursor: string
  event: string
  data: object
  /** Runs once the notice has left this process. */
  onWritten?: (() => void) | undefined
}

/** The hub never waits: a follower that does not keep up is disconnected. */
export type Outlet = Pick<EventStream, 'send' | 'end'>

export type Follower<Who> = Who & {
  readonly stream: Outlet
  /** Live notices held back while the follower catches up; null afterwards. */
  held: Notice[] | null
  /** Everything up to here has been sent. */
  cursor: string
}

/** What is published without being stored. */
type Scoped = { workspaceId: string }

type Batch<Signal> = { live: LiveEvent[]; signals: Signal[] }

/** Decides which events reach whom. If the policy throws, the streams concerned are ended. */
export type StreamPolicy<Who, Signal> = {
  /** Whether to handle an event of a workspace that has followers. Called for each event, so it must be quick. */
  awaits(event: LiveEvent | Signal): boolean
  /** Sends a workspace's followers those of these events, in order, that they may receive. */
  handle(workspaceId: string, batch: Batch<Signal>): Promise<void>
  /** Returns what a follower missed, in order, once its live events are being held back. */
  catchUp(follower: Follower<Who>, lastEventId: string | undefined): Promise<Notice[]>
  /** Called when a follower joins; `leave` is called once for each, however its stream ends. */
  enter?(follower: Follower<Who>): void
  leave(follower: Follower<Who>): void
  /** Called every 20 s while there are followers. */
  check(): Promise<void>
}

export type StreamHub<Who> = {
  all: ReadonlySet<Follower<Who>>
  of(workspaceId: string): ReadonlySet<Follower<Who>>
  workspaceIds(): string[]
  /** Opens a stream that first replays what came after the client's last event and then continues live. */
  follow(who: Who, lastEventId: string | undefined, open: (onClose: () => void) => Outlet): Promise<void>
  /** Sends a resumable notice once and in order, or holds it back until the follower has caught up. */
  send(follower: Follower<Who>, notice: Notice): void
  /**
   * The events of a conversation (null: the workspace) after a cursor; null if they are no longer available. Replayed
   * events are not sent again when they arrive live.
   */
  replay(follower: Follower<Who>, conversationId: string | null, cursor: string): Promise<LiveEvent[] | null>
  end(followers: Iterable<Follower<Who>>): void
}

type Sources<Signal> = {
  stream: Stream
  ephemeral: Ephemeral<Signal>
  log: Pick<FastifyBaseLogger, 'warn'>
}

const isLive = (event: LiveEvent | Scoped): event is LiveEvent => 'cursor' in event

export const makeStreamHub = <Who extends Scoped, Signal extends Scoped>(
  sources: Sources<Signal>,
  policy: StreamPolicy<Who, Signal>,
): StreamHub<Who> => {
  const { stream, log } = sources
  const followers = new Set<Follower<Who>>()
  const byWorkspace = makeSetIndex<Follower<Who>>()
  let stopListening: (() => void) | null = null

  const leave = (follower: Follower<Who>): void => {
    if (!followers.delete(follower)) return
    byWorkspace.remove(follower.workspaceId, follower)
    policy.leave(follower)
    if (followers.size > 0) return
    stopListening?.()
    stopListening = null
  }

  const end = (some: Iterable<Follower<Who>>): void => {
    for (const follower of [...some]) {
      follower.stream.end()
      leave(follower)
    }
  }

  const queue = makeBatches<Signal>(async (workspaceId, batch) => {
    try {
      await policy.handle(workspaceId, batch)
    } catch (error) {
      log.warn({ err: error, workspaceId }, 'live events could not be sent; the streams of the workspace end')
      end(byWorkspace.of(workspaceId))
    }
  })

  const onEvent = (event: LiveEvent | Signal): void => {
    if (byWorkspace.of(event.workspaceId).size === 0 || !policy.awaits(event)) return
    if (!queue.add(event)) end(followers)
  }

  const enter = (follower: Follower<Who>): void => {
    followers.add(follower)
    byWorkspace.add(follower.workspaceId, follower)
    policy.enter?.(follower)
    // After a break the clients reconnect with cursors that can't be resumed and start over.
    stopListening ??= listen(sources, { onEvent, onBreak: () => end(followers), check: policy.check })
  }

  const send = (follower: Follower<Who>, notice: Notice): void => {
    if (followers.has(follower) && !sendOrHold(follower, notice)) end([follower])
  }

  return {
    all: followers,
    of: byWorkspace.of,
    workspaceIds: byWorkspace.keys,
    send,
    end,
    async replay(follower, conversationId, cursor) {
      const events = await stream.replay(follower.workspaceId, conversationId, cursor)
      // Only a cursor we found is known to be ours and to say what the client has.
      if (events) follower.cursor = cursor
      return events
    },
    async follow(who, lastEventId, open) {
      const stream = open(() => leave(follower))
      const follower: Follower<Who> = { ...who, stream, held: [], cursor: '' }
      enter(follower)
      try {
        const missed = await policy.catchUp(follower, lastEventId)
        const held = follower.held ?? []
        follower.held = null
        for (const notice of [...missed, ...held]) send(follower, notice)
      } catch (error) {
        log.warn({ err: error }, 'a stream could not begin')
        end([follower])
      }
    },
  }
}

/** False if the follower holds back too much. */
const sendOrHold = (follower: Follower<unknown>, notice: Notice): boolean => {
  const { cursor, event, data, onWritten } = notice
  if (cursor <= follower.cursor) return true
  if (follower.held) return follower.held.push(notice) <= WAITING_MAX
  follower.cursor = cursor
  follower.stream.send({ event, id: cursor, data }, onWritten)
  return true
}

type Reactions<Signal> = {
  onEvent: (event: LiveEvent | Signal) => void
  onBreak: () => void
  check: () => Promise<void>
}

/** Subscribes to everything a hub reacts to; returns a function that unsubscribes. */
const listen = <Signal>(
  { stream, ephemeral, log }: Sources<Signal>,
  { onEvent, onBreak, check }: Reactions<Signal>,
) => {
  const stopStream = stream.subscribe(onEvent, onBreak)
  const stopEphemeral = ephemeral.subscribe(onEvent)
  const timer = setInterval(() => {
    check().catch((error: unknown) => log.warn({ err: error }, 'open streams could not be checked'))
  }, CHECK_EVERY_MS)
  return (): void => {
    stopStream()
    stopEphemeral()
    clearInterval(timer)
  }
}

/** Passes events on in order, in batches of one workspace, each after the previous one is done. */
const makeBatches = <Signal extends Scoped>(
  handle: (workspaceId: string, batch: Batch<Signal>) => Promise<void>,
) => {
  const waiting: (LiveEvent | Signal)[] = []
  let isWorking = false
  const work = async (): Promise<void> => {
    if (isWorking) return
    isWorking = true
    while (waiting.length > 0)
      for (const [workspaceId, events] of Map.groupBy(waiting.splice(0, BATCH_MAX), toWorkspaceId))
        await handle(workspaceId, {
          live: events.filter(isLive),
          signals: events.flatMap((event) => (isLive(event) ? [] : event)),
        })
    isWorking = false
  }
  return {
    /** False when too many are waiting: all of them are dropped then. */
    add: (event: LiveEvent | Signal): boolean => {
      waiting.push(event)
      if (waiting.length > WAITING_MAX) {
        waiting.length = 0
        return false
      }
      void work()
      return true
    },
  }
}

const toWorkspaceId = ({ workspaceId }: Scoped): string => workspaceId
