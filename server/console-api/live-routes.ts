// The stream that a console tab keeps open, and the signals that agents send each other through it.

import { Done, PresenceBody } from '../domain/conversations/inbox-schema.ts'
import { ConversationParams } from '../domain/conversations/schema.ts'
import type { Signals } from '../domain/conversations/signals.ts'
import { conversationExists } from '../domain/conversations/thread-queries.ts'
import { ApiError } from '../platform/errors.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'
import type { EventStreams } from '../platform/http/sse.ts'
import type { ConsoleStreams } from './streams.ts'

const FULL_RETRY_SECONDS = '30'

type Deps = { streams: ConsoleStreams; eventStreams: EventStreams; ephemeral: Signals }

export const registerConsoleEvents = (app: App, { streams, eventStreams, ephemeral }: Deps): void => {
  app.get(
    '/events',
    { config: { isStream: true }, exposeHeadRoute: false, schema: { operationId: 'consoleFollowEvents' } },
    async (request, reply) => {
      const { ctx, session } = request
      const { actor } = ctx
      if (actor.type !== 'agent') throw new Error('only a person can follow the console')
      if (streams.isFull(session.hash))
        throw new ApiError('RATE_LIMIT_EXCEEDED', {
          message: 'The console is open in too many tabs. Close one.',
          headers: { 'retry-after': FULL_RETRY_SECONDS },
        })
      const lastEventId = request.headers['last-event-id']
      await streams.follow(
        { workspaceId: ctx.workspaceId, hash: session.hash, actor },
        typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : undefined,
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
