// What a tab of the console keeps open, and what its people tell each other through it.
import { ApiError } from '../errors.ts'
import type { Ephemeral } from '../events/ephemeral.ts'
import { Done, PresenceBody } from '../resources/conversations/inbox-schema.ts'
import { ConversationParams } from '../resources/conversations/schema.ts'
import { conversationExists } from '../resources/conversations/thread-queries.ts'
import type { App } from './api.ts'
import type { ConsoleStreams } from './console-streams.ts'
import { errors } from './error-responses.ts'
import type { EventStreams } from './sse.ts'

const FULL_RETRY_SECONDS = '30'

type Deps = { streams: ConsoleStreams; eventStreams: EventStreams; ephemeral: Ephemeral }

export const registerConsoleEvents = (app: App, { streams, eventStreams, ephemeral }: Deps): void => {
  app.get(
    '/events',
    { config: { isStream: true }, exposeHeadRoute: false, schema: { operationId: 'consoleFollowEvents' } },
    async (request, reply) => {
      const { ctx, session } = request
      const { actor } = ctx
      if (actor.type !== 'agent') throw new Error('somebody follows the console who is no person')
      if (streams.isFull(session.hash))
        throw new ApiError('RATE_LIMIT_EXCEEDED', {
          message: 'The console is open in too many tabs. Close one.',
          headers: { 'retry-after': FULL_RETRY_SECONDS },
        })
      const lastEventId = request.headers['last-event-id']
      await streams.follow(
        ctx,
        {
          hash: session.hash,
          actor,
          lastEventId: typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : undefined,
        },
        (onClose) => eventStreams.open(reply, onClose),
      )
    },
  )

  app.post(
    '/conversations/:conversationId/presence',
    {
      schema: {
        operationId: 'consoleSetPresence',
        params: ConversationParams,
        body: PresenceBody,
        response: { 200: Done, ...errors('CONVERSATION_NOT_FOUND') },
      },
    },
    async ({ ctx, session, params: { conversationId }, body: { state } }) => {
      if (!(await conversationExists(ctx, conversationId))) throw new ApiError('CONVERSATION_NOT_FOUND')
      const { workspaceId } = ctx
      const { accountId: id, nickname } = session
      ephemeral.publish({ type: 'agent.at', workspaceId, conversationId, agent: { id, nickname }, state })
      // The customer on a web chat sees it too.
      ephemeral.publish({
        type: 'agent.typing',
        workspaceId,
        conversationId,
        nickname,
        isTyping: state === 'typing',
      })
      return { success: true as const }
    },
  )
}
