// Who at the console hears what. One subscription to the live stream for all tabs of this process; events are dealt with
// in their order, and each goes to those who may see what it is about. A stream ends the moment its session or its
// membership does: the events that tell of it are heeded before those behind them, sign-outs are heard of over NOTIFY, and
// all are looked at again every so often.
import type { Actor, Ctx } from '../ctx.ts'
import type { Ephemeral, EphemeralEvent } from '../events/ephemeral.ts'
import type { LiveEvent } from '../events/stream.ts'
import { listFollowers } from '../resources/sessions/queries.ts'
import { sessionBounds } from '../resources/sessions/session-time.ts'
import type { ApiDeps } from './api.ts'
import { actorOf, noteSeen } from './console-session.ts'
import type { EventStream } from './sse.ts'
import { makeSees } from './visible-events.ts'

export const TABS_PER_SESSION_MAX = 20
const WAITING_MAX = 5_000
const TOGETHER_MAX = 200
/** Followers are noted as seen, and held against their sessions, this often; a minute unseen is offline. */
const LOOK_EVERY_MS = 20_000
/** What an agent was last seen doing at a conversation is true for so long. */
const PRESENCE_KEPT_MS = 60_000
const PRESENCE_MAX = 10_000

type Person = Actor & { type: 'agent' }

type Follower = {
  workspaceId: string
  hash: Buffer
  actor: Person
  stream: EventStream
  /** Live events held back while the replay is under way; null once it is over. */
  held: LiveEvent[] | null
  /** The last event that was dealt with for this tab, told or not. Cursors compare as strings. */
  cursor: string
}

type PresenceState = 'viewing' | 'typing'
type Present = { agent: { id: string; nickname: string }; state: PresenceState; untilMs: number }

export type ConsoleStreams = {
  isFull(hash: Buffer): boolean
  /** Tells the person from now on, and first what came after the event that they name. */
  follow(
    ctx: Ctx,
    person: { hash: Buffer; actor: Person; lastEventId: string | undefined },
    open: (onClose: () => void) => EventStream,
  ): Promise<void>
  /** An account's sessions may have ended (undefined: anybody's may): streams without one end. */
  recheck(accountId?: string): void
}

type Options = Pick<ApiDeps, 'db' | 'now' | 'stream'> & { ephemeral: Ephemeral; log: Ctx['log'] }

export const makeConsoleStreams = (deps: Options): ConsoleStreams => {
  const { db, now, stream, ephemeral, log } = deps
  const followers = new Set<Follower>()
  /** By workspace and conversation, then by agent. */
  const present = new Map<string, Map<string, Present>>()
  const waiting: (LiveEvent | EphemeralEvent)[] = []
  let isWorking = false
  let stopListening: (() => void) | null = null

  const of = (workspaceId: string): Follower[] =>
    [...followers].filter((follower) => follower.workspaceId === workspaceId)

  const end = (follower: Follower): void => {
    follower.stream.end()
    leave(follower)
  }

  // Access ---------------------------------------------------------------------------------------------------------

  /** Ends the streams of those who have lost their session or membership; the others get the rights they have now. */
  const check = async (some: readonly Follower[]): Promise<void> => {
    if (some.length === 0) return
    const rows = await listFollowers({ db }, some, sessionBounds(now()))
    const found = new Map(rows.map((row) => [row.place, row]))
    for (const [place, follower] of some.entries()) {
      const row = found.get(place)
      const actor = row && actorOf({ ...row, accountId: follower.actor.accountId })
      if (actor) follower.actor = actor
      else end(follower)
    }
  }

  const checkOrEnd = async (some: readonly Follower[]): Promise<void> => {
    try {
      await check(some)
    } catch (error) {
      // Who cannot be checked comes back, and is checked then.
      log.warn({ err: error }, 'console streams could not be checked; they end')
      for (const follower of some) end(follower)
    }
  }

  const look = async (): Promise<void> => {
    const all = [...followers]
    await checkOrEnd(all)
    const there = all.filter((follower) => followers.has(follower))
    if (there.length === 0) return
    await noteSeen(
      { db, now },
      there.map(({ hash, actor }) => ({ hash, accountId: actor.accountId })),
    ).catch((error: unknown) => log.warn({ err: error }, 'it was not noted who is at the console'))
  }

  // Events ---------------------------------------------------------------------------------------------------------

  const tell = (follower: Follower, { cursor, type, conversationId, contactId, data }: LiveEvent): void =>
    follower.stream.send({ event: type, id: cursor, data: { type, conversationId, contactId, data } })

  const tellAll = async (workspaceId: string, events: readonly LiveEvent[]): Promise<void> => {
    const here = of(workspaceId)
    const sees = await makeSees(
      { db, workspaceId },
      events,
      here.map(({ actor }) => actor),
    )
    for (const event of events)
      for (const follower of here) {
        if (!followers.has(follower) || event.cursor <= follower.cursor) continue
        if (follower.held) {
          follower.held.push(event)
          if (follower.held.length > WAITING_MAX) end(follower)
          continue
        }
        follower.cursor = event.cursor
        if (sees(follower.actor, event)) tell(follower, event)
      }
  }

  const isLive = (event: LiveEvent | EphemeralEvent): event is LiveEvent => 'cursor' in event
  /** What somebody may do has changed, or whether they belong to the workspace at all. */
  const changesAccess = ({ type }: LiveEvent | EphemeralEvent): boolean =>
    /^(agent|role)\.updated$/.test(type)

  const handle = async (workspaceId: string, events: (LiveEvent | EphemeralEvent)[]): Promise<void> => {
    if (events.some(changesAccess)) await check(of(workspaceId))
    await tellAll(workspaceId, events.filter(isLive))
    for (const event of events) if (!isLive(event)) await tellEphemeral(event)
  }

  const work = async (): Promise<void> => {
    if (isWorking) return
    isWorking = true
    while (waiting.length > 0) {
      const batch = waiting.splice(0, TOGETHER_MAX)
      for (const [workspaceId, events] of Map.groupBy(batch, (event) => event.workspaceId))
        try {
          await handle(workspaceId, events)
        } catch (error) {
          log.warn({ err: error }, 'people could not be told what happened; their streams end')
          for (const follower of of(workspaceId)) end(follower)
        }
    }
    isWorking = false
  }

  const hear = (event: LiveEvent | EphemeralEvent): void => {
    if (of(event.workspaceId).length === 0) return
    waiting.push(event)
    if (waiting.length > WAITING_MAX) {
      waiting.length = 0
      for (const follower of [...followers]) end(follower)
      return
    }
    void work()
  }

  // Presence -------------------------------------------------------------------------------------------------------

  const placeOf = (workspaceId: string, conversationId: string): string => `${workspaceId} ${conversationId}`

  const listPresent = (place: string): Present[] => {
    const agents = present.get(place)
    if (!agents) return []
    const nowMs = now().getTime()
    for (const [id, { untilMs }] of agents) if (untilMs <= nowMs) agents.delete(id)
    if (agents.size === 0) present.delete(place)
    return [...agents.values()]
  }

  /** To those who may see the conversation. */
  const tellOf = async (
    workspaceId: string,
    event: { type: string; conversationId: string },
    dataFor: (follower: Follower) => Record<string, unknown>,
  ): Promise<void> => {
    const subject = { ...event, contactId: null }
    const here = of(workspaceId)
    const sees = await makeSees(
      { db, workspaceId },
      [subject],
      here.map(({ actor }) => actor),
    )
    for (const follower of here)
      if (followers.has(follower) && sees(follower.actor, subject))
        follower.stream.send({ event: event.type, data: { ...subject, data: dataFor(follower) } })
  }

  const tellPresence = (workspaceId: string, conversationId: string): Promise<void> => {
    const all = listPresent(placeOf(workspaceId, conversationId))
    return tellOf(workspaceId, { type: 'presence', conversationId }, ({ actor }) => ({
      agents: all
        .filter(({ agent }) => agent.id !== actor.accountId)
        .map(({ agent, state }) => ({ ...agent, state })),
    }))
  }

  const tellEphemeral = async (event: EphemeralEvent): Promise<void> => {
    if (event.type === 'visitor.typing')
      await tellOf(event.workspaceId, { type: 'typing', conversationId: event.conversationId }, () => ({
        isTyping: event.isTyping,
      }))
    if (event.type !== 'agent.at') return
    const { workspaceId, conversationId, agent, state } = event
    const place = placeOf(workspaceId, conversationId)
    const before = listPresent(place).find((one) => one.agent.id === agent.id)?.state ?? 'left'
    const agents = present.get(place) ?? new Map<string, Present>()
    if (state === 'left') agents.delete(agent.id)
    else agents.set(agent.id, { agent, state, untilMs: now().getTime() + PRESENCE_KEPT_MS })
    if (agents.size === 0) present.delete(place)
    else if (present.size < PRESENCE_MAX || present.has(place)) present.set(place, agents)
    if (before !== state) await tellPresence(workspaceId, conversationId)
  }

  /** Those who said nothing for a while are not there any more, and their colleagues hear of it. */
  const sweepPresence = async (): Promise<void> => {
    const nowMs = now().getTime()
    for (const [place, agents] of [...present])
      if ([...agents.values()].some(({ untilMs }) => untilMs <= nowMs)) {
        const [workspaceId, conversationId] = place.split(' ') as [string, string]
        listPresent(place)
        await tellPresence(workspaceId, conversationId)
      }
  }

  // Coming and going -----------------------------------------------------------------------------------------------

  const listen = (): void => {
    if (stopListening) return
    const stopStream = stream.subscribe(hear)
    const stopEphemeral = ephemeral.subscribe(hear)
    const timer = setInterval(() => {
      void look()
      sweepPresence().catch((error: unknown) => log.warn({ err: error }, 'presence was not told'))
    }, LOOK_EVERY_MS)
    stopListening = () => {
      stopStream()
      stopEphemeral()
      clearInterval(timer)
    }
  }

  const leave = (follower: Follower): void => {
    if (!followers.delete(follower)) return
    const { workspaceId, actor } = follower
    if (!of(workspaceId).some((other) => other.actor.accountId === actor.accountId))
      for (const [place, agents] of present) {
        const [at, conversationId] = place.split(' ') as [string, string]
        const mine = at === workspaceId ? agents.get(actor.accountId) : undefined
        if (mine)
          ephemeral.publish({
            type: 'agent.at',
            workspaceId,
            conversationId,
            agent: mine.agent,
            state: 'left',
          })
      }
    if (followers.size > 0) return
    stopListening?.()
    stopListening = null
    present.clear()
  }

  /** Tells what the tab missed, in order, or that it has to look at everything again. */
  const catchUp = async (follower: Follower, after: string | undefined): Promise<void> => {
    const missed = after === undefined ? null : await stream.replay(follower.workspaceId, null, after)
    if (after !== undefined && missed) {
      // The cursor is one of ours: what comes live and is not later has been told.
      follower.cursor = after
    } else {
      // From here on nothing is missed: the tab has a place to come back to, even if nothing ever happens.
      const head = await stream.head()
      follower.cursor = head ?? ''
      const event = after === undefined ? 'hello' : 'reset'
      follower.stream.send({
        event,
        ...(head && { id: head }),
        data: { type: event, conversationId: null, contactId: null, data: {} },
      })
    }
    // Live ones are held back until none is left, so that they come behind what was missed, whole and in order.
    for (let batch = missed ?? []; ; batch = follower.held.splice(0)) {
      await tellMissed(follower, batch)
      if (!follower.held || follower.held.length === 0) break
    }
    follower.held = null
  }

  const tellMissed = async (follower: Follower, events: readonly LiveEvent[]): Promise<void> => {
    if (events.length === 0) return
    const { workspaceId } = follower
    const sees = await makeSees({ db, workspaceId }, events, [follower.actor])
    for (const event of events) {
      if (!followers.has(follower) || event.cursor <= follower.cursor) continue
      follower.cursor = event.cursor
      if (sees(follower.actor, event)) tell(follower, event)
    }
  }

  return {
    isFull: (hash) =>
      [...followers].filter((follower) => follower.hash.equals(hash)).length >= TABS_PER_SESSION_MAX,
    recheck: (accountId) => {
      void checkOrEnd(
        [...followers].filter(({ actor }) => accountId === undefined || actor.accountId === accountId),
      )
    },
    async follow(ctx, { hash, actor, lastEventId }, open) {
      const { workspaceId } = ctx
      const follower: Follower = {
        workspaceId,
        hash,
        actor,
        stream: open(() => leave(follower)),
        held: [],
        cursor: '',
      }
      followers.add(follower)
      listen()
      try {
        // Between the request's own check and the moment we began to listen they may have lost what they had.
        await check([follower])
        await noteSeen({ db, now }, [{ hash, accountId: actor.accountId }])
        ephemeral.publish({ type: 'agent.presence', workspaceId })
        await catchUp(follower, lastEventId)
      } catch (error) {
        log.warn({ err: error }, 'a stream could not begin')
        end(follower)
      }
    },
  }
}
