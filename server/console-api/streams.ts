// Which console users receive what: each event goes to those who may see its subject. A stream ends as soon as its
// session or membership does: the events announcing that are handled before those that came with them, sign-outs
// arrive over NOTIFY, and all streams are checked periodically.

import { listFollowers } from '../domain/accounts/session-queries.ts'
import { sessionBounds } from '../domain/accounts/session-time.ts'
import type { Signal, Signals } from '../domain/conversations/signals.ts'
import type { Actor } from '../platform/ctx/actor.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import type { ApiDeps } from '../platform/http/api.ts'
import type { EventStream } from '../platform/http/sse.ts'
import { type Follower, makeStreamHub, type Notice, type StreamHub } from '../platform/http/stream-hub.ts'
import type { LiveEvent } from '../platform/live/replay.ts'
import { makePresence } from './presence.ts'
import { actorOf, touchSeen } from './session.ts'
import { makeVisibility } from './visible-events.ts'

export const TABS_PER_SESSION_MAX = 20

type Person = { workspaceId: string; hash: Buffer; actor: Actor & { type: 'agent' } }
type Tab = Follower<Person>
type Hub = StreamHub<Person>

export type ConsoleStreams = {
  isFull(hash: Buffer): boolean
  /** Opens a stream that first replays what came after the client's last event and then continues live. */
  follow(
    person: Person,
    lastEventId: string | undefined,
    open: (onClose: () => void) => EventStream,
  ): Promise<void>
  /** An account's sessions may have ended (undefined: any account's): streams without one are closed. */
  recheck(accountId?: string): void
}

type Options = Pick<ApiDeps, 'db' | 'now' | 'stream'> & { ephemeral: Signals; log: Ctx['log'] }

export const makeConsoleStreams = (deps: Options): ConsoleStreams => {
  const { ephemeral, stream } = deps
  const hub: Hub = makeStreamHub(deps, {
    awaits: () => true,
    async handle(workspaceId, batch) {
      if (batch.live.some(changesAccess)) await check(deps, hub, [...hub.of(workspaceId)])
      await tellLive(deps, hub, workspaceId, batch.live)
      for (const event of batch.signals) await colleagues.tell(event)
    },
    async catchUp(tab, lastEventId) {
      // Access may have been lost between the request's check and the moment we started listening.
      await check(deps, hub, [tab])
      await touchSeen(deps, [{ hash: tab.hash, accountId: tab.actor.accountId }])
      ephemeral.publish({ type: 'agent.presence', workspaceId: tab.workspaceId })
      const missed = lastEventId === undefined ? null : await hub.replay(tab, null, lastEventId)
      if (missed) return listVisible(deps, tab, missed)
      // From here on nothing is missed: the tab has a place to resume from, even if nothing ever happens.
      const head = await stream.head()
      tab.cursor = head ?? ''
      const event = lastEventId === undefined ? 'hello' : 'reset'
      tab.stream.send({ event, ...(head && { id: head }), data: toWire({ type: event }) })
      return []
    },
    leave: (tab) => colleagues.leave(tab),
    async check() {
      await checkOrEnd(deps, hub, [...hub.all])
      await touchAllSeen(deps, hub)
      await colleagues.sweep()
    },
  })
  const colleagues = makeColleagues(deps, hub)

  return {
    isFull: (hash) => [...hub.all].filter((tab) => tab.hash.equals(hash)).length >= TABS_PER_SESSION_MAX,
    follow: hub.follow,
    recheck: (accountId) => {
      const some = [...hub.all].filter(
        ({ actor }) => accountId === undefined || actor.accountId === accountId,
      )
      void checkOrEnd(deps, hub, some)
    },
  }
}

// Access -----------------------------------------------------------------------------------------------------------

/** A person's permissions or membership have changed. */
const changesAccess = ({ type }: LiveEvent): boolean =>
  /^(agent\.(updated|removed)|role\.updated)$/.test(type)

/** Closes the streams of people whose session or membership has ended; updates the rights of the others. */
const check = async ({ db, now }: Options, hub: Hub, some: readonly Tab[]): Promise<void> => {
  if (some.length === 0) return
  const rows = await listFollowers({ db }, some, sessionBounds(now()))
  const found = new Map(rows.map((row) => [row.place, row]))
  for (const [place, tab] of some.entries()) {
    const row = found.get(place)
    const actor = row && actorOf({ ...row, accountId: tab.actor.accountId })
    if (actor) tab.actor = actor
    else hub.end([tab])
  }
}

const checkOrEnd = async (deps: Options, hub: Hub, some: readonly Tab[]): Promise<void> => {
  try {
    await check(deps, hub, some)
  } catch (error) {
    // A client that could not be checked reconnects, and is checked then.
    deps.log.warn({ err: error }, 'console streams could not be checked; they end')
    hub.end(some)
  }
}

const touchAllSeen = async (deps: Options, hub: Hub): Promise<void> => {
  const people = [...hub.all].map(({ hash, actor }) => ({ hash, accountId: actor.accountId }))
  if (people.length === 0) return
  await touchSeen(deps, people).catch((error: unknown) =>
    deps.log.warn({ err: error }, 'last-seen times of open consoles could not be saved'),
  )
}

// Events -----------------------------------------------------------------------------------------------------------

const toWire = ({
  type,
  conversationId = null,
  contactId = null,
  data = {},
}: Pick<LiveEvent, 'type'> & Partial<LiveEvent>) => ({ type, conversationId, contactId, data })

const toNotice = (event: LiveEvent): Notice => ({
  cursor: event.cursor,
  event: event.type,
  data: toWire(event),
})

const tellLive = async (
  { db }: Options,
  hub: Hub,
  workspaceId: string,
  events: readonly LiveEvent[],
): Promise<void> => {
  if (events.length === 0) return
  const tabs = [...hub.of(workspaceId)]
  const sees = await makeVisibility(
    { db, workspaceId },
    events,
    tabs.map(({ actor }) => actor),
  )
  for (const event of events) {
    const notice = toNotice(event)
    for (const tab of tabs) if (sees(tab.actor, event)) hub.send(tab, notice)
  }
}

const listVisible = async (
  { db }: Options,
  { workspaceId, actor }: Tab,
  events: readonly LiveEvent[],
): Promise<Notice[]> => {
  const sees = await makeVisibility({ db, workspaceId }, events, [actor])
  return events.filter((event) => sees(actor, event)).map(toNotice)
}

// Presence ---------------------------------------------------------------------------------------------------------

/** Shows agents who else is in a conversation, and whether its customer is typing. */
const makeColleagues = ({ db, now, ephemeral, log }: Options, hub: Hub) => {
  const presence = makePresence({ now })

  /** Only to agents who may see the conversation. */
  const tellOf = async (
    workspaceId: string,
    event: { type: string; conversationId: string },
    dataFor: (tab: Tab) => Record<string, unknown>,
  ): Promise<void> => {
    const subject = { ...event, contactId: null }
    const tabs = [...hub.of(workspaceId)]
    const sees = await makeVisibility(
      { db, workspaceId },
      [subject],
      tabs.map(({ actor }) => actor),
    )
    for (const tab of tabs)
      if (hub.all.has(tab) && sees(tab.actor, subject))
        tab.stream.send({ event: event.type, data: toWire({ ...subject, data: dataFor(tab) }) })
  }

  const tellPresence = (place: { workspaceId: string; conversationId: string }): Promise<void> => {
    const all = presence.list(place)
    const { workspaceId, conversationId } = place
    return tellOf(workspaceId, { type: 'presence', conversationId }, ({ actor }) => ({
      agents: all
        .filter(({ agent }) => agent.id !== actor.accountId)
        .map(({ agent, state }) => ({ ...agent, state })),
    }))
  }

  return {
    async tell(event: Signal): Promise<void> {
      if (event.type === 'visitor.typing')
        await tellOf(event.workspaceId, { type: 'typing', conversationId: event.conversationId }, () => ({
          isTyping: event.isTyping,
        }))
      if (event.type === 'agent.at' && presence.update(event)) await tellPresence(event)
    },
    /** Removes agents who have not reported for a while, and notifies their colleagues. */
    async sweep(): Promise<void> {
      for (const place of presence.listExpired())
        await tellPresence(place).catch((error: unknown) => log.warn({ err: error }, 'presence was not told'))
    },
    /** When an agent closes their last tab of a workspace, they leave its conversations. */
    leave({ workspaceId, actor: { accountId } }: Tab): void {
      if (![...hub.of(workspaceId)].some(({ actor }) => actor.accountId === accountId))
        for (const place of presence.listOf(workspaceId, accountId))
          ephemeral.publish({ type: 'agent.at', ...place, state: 'left' })
      if (hub.all.size === 0) presence.clear()
    },
  }
}
