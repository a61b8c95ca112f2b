// Which visitor hears what. One subscription to the live stream for all visitors of this process; each event is read
// from the database once and goes only to the streams of the contact that it concerns, on the site that it belongs to.
// Whenever something cannot be told for certain, the stream is ended: the widget comes back and resumes from the last
// event that it got.
import type { Ctx } from '../../ctx.ts'
import type { Db } from '../../db/pool.ts'
import type { Ephemeral, EphemeralEvent } from '../../events/ephemeral.ts'
import type { LiveEvent, Stream } from '../../events/stream.ts'
import type { Links } from '../../files/links.ts'
import type { EventStream } from '../../http/sse.ts'
import {
  findSeenMessages,
  listAttendedWorkspaces,
  listPlaces,
  listVisitorContacts,
  listVisitorConversations,
  type Place,
  type SeenMessage,
  type Visitor,
} from '../../resources/visitors/queries.ts'
import { toVisitorMessage } from '../../resources/visitors/visitor-message.ts'
import type { Receipts } from './receipts.ts'

export const STREAMS_PER_VISITOR_MAX = 12
export const STREAMS_PER_IP_MAX = 100
/** Events that wait for the database, and live ones that wait for a replay. Past it the streams are ended. */
const WAITING_MAX = 5_000
const TOGETHER_MAX = 200
const PRESENCE_EVERY_MS = 20_000
/** An agent counts as there for this long after they were last seen; see Agent.isOnline. */
const ATTENDED_MS = 60_000

type Listener = {
  workspaceId: string
  visitorId: string
  channelAccountId: string
  ip: string
  contactId: string | null
  stream: EventStream
  /** Live events held back while the replay is under way; null once it is over. */
  held: Heard[] | null
  /** The last event that went out. Cursors compare as strings. */
  cursor: string
}

/** An event with what visitors are told of it. */
type Heard = {
  cursor: string
  contactId: string
  channelAccountId: string
  toTell: { event: string; data: object } | { message: SeenMessage }
}

export type VisitorStreams = {
  /** Whether the visitor or their address has as many streams as they may. */
  isFull(visitorId: string, ip: string): boolean
  /** Tells the visitor from now on, and first what came after the event that they name. */
  follow(
    ctx: Ctx,
    visitor: Visitor,
    options: { ip: string; lastEventId: string | undefined; open: (onClose: () => void) => EventStream },
  ): Promise<void>
}

type Options = {
  db: Db
  stream: Stream
  ephemeral: Ephemeral
  receipts: Receipts
  log: Ctx['log']
} & Links

/** A map from keys to sets that forgets the empty ones. */
const makeIndex = <T>() => {
  const sets = new Map<string, Set<T>>()
  return {
    of: (key: string): ReadonlySet<T> => sets.get(key) ?? new Set<T>(),
    add: (key: string, item: T): void => {
      sets.set(key, (sets.get(key) ?? new Set<T>()).add(item))
    },
    remove: (key: string, item: T): void => {
      const set = sets.get(key)
      set?.delete(item)
      if (set?.size === 0) sets.delete(key)
    },
    keys: (): string[] => [...sets.keys()],
  }
}

const contactKey = (workspaceId: string, contactId: string): string => `${workspaceId} ${contactId}`

const HEARD_TYPES = new Set([
  'message.created',
  'message.status',
  'conversation.created',
  'conversation.status',
  'conversation.read',
])

/** Of their own messages visitors learn that they were read; every other step is that of a message to them. */
const isAudible = ({ type, data, conversationId }: LiveEvent): boolean =>
  conversationId !== null && HEARD_TYPES.has(type) && (type !== 'message.status' || data.status === 'read')

/** What visitors may hear of the events, in their order. Two statements at the most, whatever their number. */
const hear = async (
  scope: Pick<Ctx, 'db' | 'workspaceId'> & Links,
  events: LiveEvent[],
): Promise<Heard[]> => {
  const relevant = events.filter(isAudible)
  if (relevant.length === 0) return []
  const messageIds = relevant.flatMap(({ data }) =>
    typeof data.messageId === 'string' ? [data.messageId] : [],
  )
  const conversationIds = [...new Set(relevant.map(({ conversationId }) => conversationId as string))]
  const places = new Map<string, Place>()
  for (const place of await listPlaces(scope, conversationIds)) places.set(place.conversationId, place)
  const messages = new Map<string, SeenMessage>()
  if (messageIds.length > 0)
    for (const message of await findSeenMessages(scope, [...new Set(messageIds)]))
      messages.set(message.id, message)
  return relevant.flatMap(({ cursor, type, conversationId, data }): Heard[] => {
    const place = places.get(conversationId as string)
    if (!place) return []
    const { contactId, channelAccountId } = place
    const tell = (event: string, data: object) => [
      { cursor, contactId, channelAccountId, toTell: { event, data } },
    ]
    switch (type) {
      case 'conversation.created':
        return tell('conversation', { id: conversationId, status: 'open' })
      case 'conversation.status':
        return tell('conversation', { id: conversationId, status: data.status })
      // They wrote all that was read; the message named is the last of it.
      case 'conversation.read':
        return tell('status', { messageId: data.messageId, status: 'read' })
      case 'message.created': {
        const message = messages.get(String(data.messageId))
        return message ? [{ cursor, contactId, channelAccountId, toTell: { message } }] : []
      }
      default: {
        // How far an answer got on its way to the visitor is the agents' business.
        const message = messages.get(String(data.messageId))
        return message?.senderType === 'customer'
          ? tell('status', { messageId: message.id, status: data.status })
          : []
      }
    }
  })
}

export const makeVisitorStreams = ({
  db,
  stream,
  ephemeral,
  receipts,
  now,
  seal,
  publicUrl,
  log,
}: Options): VisitorStreams => {
  const listeners = new Set<Listener>()
  const byContact = makeIndex<Listener>()
  const byVisitor = makeIndex<Listener>()
  const byIp = makeIndex<Listener>()
  const byWorkspace = makeIndex<Listener>()
  /** Those who have written nothing yet, by workspace. */
  const strangers = makeIndex<Listener>()
  const waiting: LiveEvent[] = []
  let isWorking = false
  let stopListening: (() => void) | null = null
  const attended = new Map<string, boolean>()

  const tell = (listener: Listener, { cursor, toTell }: Heard): void => {
    if (cursor <= listener.cursor) return
    listener.cursor = cursor
    if ('event' in toTell) {
      listener.stream.send({ ...toTell, id: cursor })
      return
    }
    const message = toVisitorMessage(toTell.message, listener.visitorId)
    const { workspaceId } = listener
    const isOutbound = message.senderType !== 'customer'
    const isNews = message.status === 'queued' || message.status === 'sent'
    listener.stream.send(
      { event: 'message', data: { message }, id: cursor },
      isOutbound && isNews ? () => receipts.delivered(workspaceId, message.id) : undefined,
    )
  }

  const tellOrHold = (listener: Listener, heard: Heard): void => {
    if (heard.channelAccountId !== listener.channelAccountId) return
    if (listener.held) {
      listener.held.push(heard)
      if (listener.held.length > WAITING_MAX) listener.stream.end()
    } else tell(listener, heard)
  }

  const knowContact = (listener: Listener, contactId: string): void => {
    if (listener.contactId !== null || !listeners.has(listener)) return
    listener.contactId = contactId
    strangers.remove(listener.workspaceId, listener)
    byContact.add(contactKey(listener.workspaceId, contactId), listener)
  }

  /** A conversation began: perhaps one of the strangers wrote their first message, in this tab or another. */
  const meetStrangers = async (workspaceId: string): Promise<void> => {
    const unknown = [...strangers.of(workspaceId)]
    if (unknown.length === 0) return
    const visitorIds = [...new Set(unknown.map(({ visitorId }) => visitorId))]
    const contacts = await listVisitorContacts({ db, workspaceId }, visitorIds)
    const contactOf = new Map(contacts.map(({ visitorId, contactId }) => [visitorId, contactId]))
    for (const listener of unknown) {
      const contactId = contactOf.get(listener.visitorId)
      if (contactId) knowContact(listener, contactId)
    }
  }

  const isAwaited = (event: LiveEvent): boolean => {
    const { workspaceId, contactId } = event
    return (
      contactId !== null &&
      isAudible(event) &&
      (byContact.of(contactKey(workspaceId, contactId)).size > 0 || strangers.of(workspaceId).size > 0)
    )
  }

  const work = async (): Promise<void> => {
    if (isWorking) return
    isWorking = true
    while (waiting.length > 0) {
      const batch = waiting.splice(0, TOGETHER_MAX)
      for (const [workspaceId, events] of Map.groupBy(batch, (event) => event.workspaceId)) {
        try {
          if (events.some(({ type }) => type === 'conversation.created')) await meetStrangers(workspaceId)
          const awaited = events.filter(
            ({ contactId }) =>
              contactId !== null && byContact.of(contactKey(workspaceId, contactId)).size > 0,
          )
          for (const heard of await hear({ db, workspaceId, seal, publicUrl, now }, awaited))
            for (const listener of byContact.of(contactKey(workspaceId, heard.contactId)))
              tellOrHold(listener, heard)
        } catch (error) {
          log.warn({ err: error }, 'visitors could not be told what happened; their streams end')
          for (const listener of byWorkspace.of(workspaceId)) listener.stream.end()
        }
      }
    }
    isWorking = false
  }

  const onEvent = (event: LiveEvent): void => {
    if (!isAwaited(event)) return
    waiting.push(event)
    if (waiting.length > WAITING_MAX) {
      waiting.length = 0
      for (const listener of listeners) listener.stream.end()
      return
    }
    void work()
  }

  const tellPresence = (listener: Listener): void => {
    const isOnline = attended.get(listener.workspaceId)
    if (isOnline !== undefined) listener.stream.send({ event: 'presence', data: { isOnline } })
  }

  /** Looks once for all the workspaces, and tells of those that changed. */
  const lookForAgents = async (workspaceIds: string[]): Promise<void> => {
    if (workspaceIds.length === 0) return
    const there = new Set(
      await listAttendedWorkspaces(db, workspaceIds, new Date(now().getTime() - ATTENDED_MS)),
    )
    const changed = new Set(workspaceIds.filter((id) => attended.get(id) !== there.has(id)))
    for (const id of changed) {
      attended.set(id, there.has(id))
      for (const listener of byWorkspace.of(id)) tellPresence(listener)
    }
  }

  const lookAgain = (workspaceIds: string[]): void => {
    lookForAgents(workspaceIds).catch((error: unknown) => log.warn({ err: error }, 'presence is not known'))
  }

  const tellTyping = async (event: EphemeralEvent & { type: 'agent.typing' }): Promise<void> => {
    const { workspaceId, conversationId, nickname, isTyping } = event
    const [place] = await listPlaces({ db, workspaceId }, [conversationId])
    if (!place) return
    for (const { channelAccountId, stream } of byContact.of(contactKey(workspaceId, place.contactId)))
      if (channelAccountId === place.channelAccountId)
        stream.send({ event: 'typing', data: { nickname, isTyping } })
  }

  const onEphemeral = (event: EphemeralEvent): void => {
    if (byWorkspace.of(event.workspaceId).size === 0) return
    if (event.type === 'agent.presence') lookAgain([event.workspaceId])
    if (event.type === 'agent.typing')
      tellTyping(event).catch((error: unknown) => log.warn({ err: error }, 'typing was not shown'))
  }

  const listen = (): void => {
    if (stopListening) return
    const stopStream = stream.subscribe(onEvent)
    const stopEphemeral = ephemeral.subscribe(onEphemeral)
    const timer = setInterval(() => lookAgain(byWorkspace.keys()), PRESENCE_EVERY_MS)
    stopListening = () => {
      stopStream()
      stopEphemeral()
      clearInterval(timer)
    }
  }

  const leave = (listener: Listener): void => {
    listeners.delete(listener)
    byVisitor.remove(listener.visitorId, listener)
    byIp.remove(listener.ip, listener)
    byWorkspace.remove(listener.workspaceId, listener)
    if (byWorkspace.of(listener.workspaceId).size === 0) attended.delete(listener.workspaceId)
    strangers.remove(listener.workspaceId, listener)
    if (listener.contactId) byContact.remove(contactKey(listener.workspaceId, listener.contactId), listener)
    if (listeners.size > 0) return
    stopListening?.()
    stopListening = null
  }

  const enter = (listener: Listener): void => {
    listeners.add(listener)
    byVisitor.add(listener.visitorId, listener)
    byIp.add(listener.ip, listener)
    byWorkspace.add(listener.workspaceId, listener)
    if (listener.contactId) byContact.add(contactKey(listener.workspaceId, listener.contactId), listener)
    else strangers.add(listener.workspaceId, listener)
    listen()
  }

  /** What the visitor missed, in order; null when that cannot be told any more. */
  const missedBy = async (listener: Listener, ctx: Ctx, after: string): Promise<Heard[] | null> => {
    const { contactId, channelAccountId } = listener
    if (contactId === null) return []
    const events: LiveEvent[] = []
    for (const { id } of await listVisitorConversations(ctx, { contactId, channelAccountId })) {
      const missed = await stream.replay(ctx.workspaceId, id, after)
      if (!missed) return null
      events.push(...missed)
      // The cursor is one of ours: what comes live and is not later has been told.
      listener.cursor = after
    }
    return hear(
      ctx,
      events.sort((a, b) => (a.cursor < b.cursor ? -1 : 1)),
    )
  }

  return {
    isFull: (visitorId, ip) =>
      byVisitor.of(visitorId).size >= STREAMS_PER_VISITOR_MAX || byIp.of(ip).size >= STREAMS_PER_IP_MAX,
    async follow(ctx, visitor, { ip, lastEventId, open }) {
      const listener: Listener = {
        workspaceId: ctx.workspaceId,
        visitorId: visitor.id,
        channelAccountId: visitor.channelAccountId,
        ip,
        contactId: visitor.contactId,
        stream: open(() => leave(listener)),
        held: [],
        cursor: '',
      }
      enter(listener)
      try {
        // They may have become a contact between their authentication and the moment we began to listen.
        if (listener.contactId === null) {
          const [met] = await listVisitorContacts(ctx, [visitor.id])
          if (met) knowContact(listener, met.contactId)
        }
        if (lastEventId !== undefined) {
          const missed = await missedBy(listener, ctx, lastEventId)
          if (!missed) listener.stream.send({ event: 'reset', data: {} })
          for (const heard of missed ?? []) tell(listener, heard)
        }
        const { held } = listener
        listener.held = null
        for (const heard of held ?? []) tell(listener, heard)
        if (!attended.has(ctx.workspaceId)) await lookForAgents([ctx.workspaceId])
        else tellPresence(listener)
      } catch (error) {
        log.warn({ err: error }, 'a stream could not begin')
        listener.stream.end()
      }
    },
  }
}
