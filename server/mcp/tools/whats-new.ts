import Type from 'typebox'
import { makeFeedReader, showPage } from '../../domain/feed/list-events.ts'
import type { Event } from '../../domain/feed/schema.ts'
import { known } from '../tool/customer-text.ts'
import { CursorGiven, defineTool, given, limitGiven, READS } from '../tool/tool.ts'

const EVENTS_MAX = 50

export const whatsNew = defineTool({
  name: 'whats_new',
  scopes: ['events:read'],
  hints: READS,
  description:
    'What happened since the cursor of the last call. Without a cursor it begins now: keep the cursor and call again later.',
  input: given({ cursor: CursorGiven, limit: limitGiven(EVENTS_MAX) }),
  output: Type.Object({
    events: Type.Array(Type.Object({}, { additionalProperties: true })),
    cursor: Type.String(),
    hasMore: Type.Boolean(),
  }),
  run: async (ctx, { cursor, limit = EVENTS_MAX }) => {
    const query = cursor === undefined ? {} : { cursor }
    // An event is a few short fields: a page always fits.
    const page = await makeFeedReader(ctx, query, limit).next()
    const { events, cursor: next, hasMore } = await showPage(ctx, page, {})
    return {
      text: `${events.length} events${hasMore ? '; there are more' : ''}.`,
      data: { events: events.map(showEvent), cursor: next, hasMore },
    }
  },
})

/** Facts that customers can't word: other data may contain a name, or the key of a field. */
const FACTS = ['messageId', 'senderType', 'status', 'agentId', 'noteId'] as const

const showEvent = ({ type, timestamp, conversationId, contactId, channel, actor, data }: Event) => ({
  ...known({ type, at: timestamp, conversationId, contactId, channel, by: actor?.type }),
  ...known(Object.fromEntries(FACTS.map((name) => [name, data[name]]))),
})
