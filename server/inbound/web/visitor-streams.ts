// Which visitors receive what. Each event is read from the database once and goes only to the streams of the contact
// it concerns, on the site it belongs to.

import type { Signal, Signals } from '../../domain/conversations/signals.ts'
import {
  listPlaces,
  listVisitorContacts,
  listVisitorConversations,
  type Visitor,
} from '../../domain/visitors/queries.ts'
import { toVisitorMessage } from '../../domain/visitors/visitor-message.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { Links } from '../../platform/files/links.ts'
import type { EventStream } from '../../platform/http/sse.ts'
import { makeStreamHub, type Notice, type StreamHub } from '../../platform/http/stream-hub.ts'
import type { LiveEvent } from '../../platform/live/replay.ts'
import type { Stream } from '../../platform/live/stream.ts'
import { makeAttendance } from './attendance.ts'
import type { Receipts } from './receipts.ts'
import { isForVisitors, toVisitorEvents, type VisitorEvent } from './visitor-events.ts'
import { type Listener, makeListeners, type Page } from './visitor-listeners.ts'

export const STREAMS_PER_VISITOR_MAX = 12
const STREAMS_PER_IP_MAX = 100

export type VisitorStreams = {
  /** Whether the visitor or their address has reached the limit of streams. */
  isFull(visitorId: string, ip: string): boolean
  /** Opens a stream that first replays what came after the client's last event and then continues live. */
  follow(
    visitor: Visitor & { workspaceId: string },
    options: { ip: string; lastEventId: string | undefined; open: (onClose: () => void) => EventStream },
  ): Promise<void>
}

type Options = {
  db: Db
  stream: Stream
  ephemeral: Signals
  receipts: Receipts
  log: Ctx['log']
} & Links

type Listeners = ReturnType<typeof makeListeners>

export const makeVisitorStreams = (deps: Options): VisitorStreams => {
  const { db, log } = deps
  const listeners = makeListeners()
  const hub: StreamHub<Page> = makeStreamHub(deps, {
    awaits: (event) => ('cursor' in event ? isAwaited(listeners, event) : AWAITED_SIGNALS.has(event.type)),
    async handle(workspaceId, { live, signals }) {
      for (const event of live) hub.end(listBlocked(listeners, event))
      await sendEvents(workspaceId, live)
      for (const event of signals) await sendSignal(event)
    },
    async catchUp(listener, lastEventId) {
      await assignContacts({ db, workspaceId: listener.workspaceId }, listeners, [listener])
      const missed = lastEventId === undefined ? [] : await findMissed(listener, lastEventId)
      if (!missed) listener.stream.send({ event: 'reset', data: {} })
      await attendance.sendTo(listener)
      return (missed ?? []).map((event) => noticeFor(deps.receipts, listener, event))
    },
    enter: listeners.add,
    leave(listener) {
      listeners.remove(listener)
      if (hub.of(listener.workspaceId).size === 0) attendance.forget(listener.workspaceId)
    },
    check: () => attendance.check(hub.workspaceIds()),
  })
  const attendance = makeAttendance(deps, hub)

  const sendEvents = async (workspaceId: string, events: readonly LiveEvent[]): Promise<void> => {
    // A new visitor may have written their first message, in this tab or another.
    if (events.some(({ type }) => type === 'conversation.created'))
      await assignContacts({ db, workspaceId }, listeners, [...listeners.anonymousOf(workspaceId)])
    const awaited = events.filter(
      ({ contactId }) => contactId !== null && listeners.ofContact(workspaceId, contactId).size > 0,
    )
    for (const event of await toVisitorEvents({ ...deps, workspaceId }, awaited))
      for (const listener of listeners.ofContact(workspaceId, event.contactId))
        if (event.channelAccountId === listener.channelAccountId)
          hub.send(listener, noticeFor(deps.receipts, listener, event))
  }

  const sendSignal = async (event: Signal): Promise<void> => {
    const { workspaceId } = event
    try {
      if (event.type === 'agent.presence') await attendance.check([workspaceId])
      if (event.type === 'agent.typing') await sendTyping({ db, workspaceId }, listeners, event)
    } catch (error) {
      // Neither is worth ending a stream for.
      log.warn({ err: error, type: event.type }, 'presence or typing could not be sent to visitors')
    }
  }

  /** What the visitor missed, in order; null if that is no longer available. */
  const findMissed = async (listener: Listener, after: string): Promise<VisitorEvent[] | null> => {
    const { workspaceId, contactId, channelAccountId } = listener
    if (contactId === null) return []
    const events: LiveEvent[] = []
    for (const { id } of await listVisitorConversations(
      { db, workspaceId },
      { contactId, channelAccountId },
    )) {
      const missed = await hub.replay(listener, id, after)
      if (!missed) return null
      events.push(...missed)
    }
    return toVisitorEvents(
      { ...deps, workspaceId },
      events.sort((a, b) => (a.cursor < b.cursor ? -1 : 1)),
    )
  }

  return {
    isFull: (visitorId, ip) =>
      listeners.ofVisitor(visitorId).size >= STREAMS_PER_VISITOR_MAX ||
      listeners.ofIp(ip).size >= STREAMS_PER_IP_MAX,
    follow: ({ workspaceId, id: visitorId, channelAccountId, contactId }, { ip, lastEventId, open }) =>
      hub.follow({ workspaceId, visitorId, channelAccountId, ip, contactId }, lastEventId, open),
  }
}

const AWAITED_SIGNALS = new Set<Signal['type']>(['agent.presence', 'agent.typing'])

const isAwaited = (listeners: Listeners, event: LiveEvent): boolean => {
  if (event.type === 'contact.blocked') return true
  const { workspaceId, contactId } = event
  if (contactId === null || !isForVisitors(event)) return false
  return listeners.ofContact(workspaceId, contactId).size > 0 || listeners.anonymousOf(workspaceId).size > 0
}

type Scope = Pick<Ctx, 'db' | 'workspaceId'>

/** Finds visitors who had written nothing and have become contacts. */
const assignContacts = async (
  scope: Scope,
  listeners: Listeners,
  some: readonly Listener[],
): Promise<void> => {
  const unknown = some.filter(({ contactId }) => contactId === null)
  if (unknown.length === 0) return
  const visitorIds = [...new Set(unknown.map(({ visitorId }) => visitorId))]
  const contacts = await listVisitorContacts(scope, visitorIds)
  const contactOf = new Map(contacts.map(({ visitorId, contactId }) => [visitorId, contactId]))
  for (const listener of unknown) {
    const contactId = contactOf.get(listener.visitorId)
    if (contactId) listeners.setContact(listener, contactId)
  }
}

/** Those who lose access with this event. They reconnect, are authenticated again, and rejected. */
const listBlocked = (listeners: Listeners, { type, workspaceId, contactId, data }: LiveEvent): Listener[] =>
  type !== 'contact.blocked'
    ? []
    : [
        ...(data.visitor === true && contactId !== null ? listeners.ofContact(workspaceId, contactId) : []),
        ...(typeof data.address === 'string' ? listeners.ofIp(data.address) : []),
      ].filter((listener) => listener.workspaceId === workspaceId)

const noticeFor = (receipts: Receipts, listener: Listener, { cursor, content }: VisitorEvent): Notice => {
  if ('event' in content) return { ...content, cursor }
  const message = toVisitorMessage(content.message, listener.visitorId)
  const isOutbound = message.senderType !== 'customer'
  const isNews = message.status === 'queued' || message.status === 'sent'
  return {
    cursor,
    event: 'message',
    data: { message },
    onWritten: isOutbound && isNews ? () => receipts.delivered(listener.workspaceId, message.id) : undefined,
  }
}

const sendTyping = async (
  scope: Scope,
  listeners: Listeners,
  { conversationId, nickname, isTyping }: Signal & { type: 'agent.typing' },
): Promise<void> => {
  const [place] = await listPlaces(scope, [conversationId])
  if (!place) return
  for (const { channelAccountId, stream } of listeners.ofContact(scope.workspaceId, place.contactId))
    if (channelAccountId === place.channelAccountId)
      stream.send({ event: 'typing', data: { nickname, isTyping } })
}
