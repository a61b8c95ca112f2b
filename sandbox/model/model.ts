// A provider of language models: Chat Completions, Responses and Messages, with models that are rules. What answers is
// loaded with the first request.
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { type App, ControlError } from '../http.ts'
import { closed } from '../shapes.ts'
import type { Wire } from './exchange.ts'
import { type ModelFault, type ModelFaultInput, makeModelFaults } from './faults.ts'
import type { ModelState, SeenCall } from './state.ts'

const SCRIPT_MAX = 1_000

const CallInput = closed({
  name: Type.String({ maxLength: 100 }),
  arguments: Type.Unknown(),
  id: Type.Optional(Type.String({ maxLength: 200 })),
})
/** An answer of the model `sandbox-script`, which gives one after the other. */
export const AnswerInput = closed({
  text: Type.Optional(Type.String()),
  calls: Type.Optional(Type.Array(CallInput, { maxItems: 100 })),
  refusal: Type.Optional(Type.String()),
  stop: Type.Optional(Type.Enum(['end', 'tools', 'length', 'filtered', 'refused'])),
  reasoning: Type.Optional(Type.String()),
})
export type AnswerInput = Static<typeof AnswerInput>

export type ModelControl = ReturnType<typeof makeModelProvider>['control']

export const makeModelProvider = (apiKey: string | null = null) => {
  const state: ModelState = { apiKey, script: [], faults: makeModelFaults(), calls: [], count: 0 }
  return {
    register: (app: App): void => register(app, state),
    control: {
      setModelKey: (key: string | null): void => {
        state.apiKey = key
      },
      /** Adds to the answers of `sandbox-script`. */
      scriptModel: (answers: readonly AnswerInput[]): void => {
        if (state.script.length + answers.length > SCRIPT_MAX)
          throw new ControlError(`The script has at most ${SCRIPT_MAX} answers.`)
        state.script.push(...answers)
      },
      clearModel: (): void => {
        state.script = []
        state.calls = []
        state.faults.clear()
      },
      /** The latest valid requests, the oldest first. */
      modelCalls: (): SeenCall[] => state.calls,
      addModelFault: (input: ModelFaultInput): ModelFault => state.faults.add(input),
      modelFaults: (): ModelFault[] => state.faults.list(),
    },
  }
}

const register = (app: App, state: ModelState): void => {
  const at = (path: string, wire: Wire): void => {
    app.post(path, async (request, reply) => {
      const { play } = await import('./play.ts')
      return play(state, wire, request, reply)
    })
  }
  at('/v1/chat/completions', 'chat')
  at('/v1/responses', 'responses')
  at('/v1/messages', 'messages')
  app.get('/v1/models', async (request: FastifyRequest) => {
    const { listModels } = await import('./play.ts')
    return listModels(state, request)
  })
  app.post('/v1/embeddings', async (request: FastifyRequest, reply: FastifyReply) => {
    const { embed } = await import('./embed.ts')
    return embed(state, request, reply)
  })
}
