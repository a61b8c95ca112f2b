// A provider of language models: Chat Completions, Responses and Messages, with models that are rules. What answers is
// loaded with the first request.
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { type App, ControlError } from '../http.ts'
import { closed } from '../shapes.ts'
import type { Heard, Wire } from './exchange.ts'
import { type ModelFault, type ModelFaultInput, makeModelFaults } from './faults.ts'
import { MODELS, type ModelName } from './names.ts'
import type { ModelState, SeenCall } from './state.ts'
import { makeWaiting } from './waiting.ts'

const SCRIPT_MAX = 1_000
const ANSWERED_SHOWN_MAX = 20

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

export const BrainPatch = closed({ brain: Type.Union([Type.Enum([...MODELS]), Type.Null()]) })

/** What the page shows of the models. */
export type ShownModel = ReturnType<ModelControl['model']>

type Options = { apiKey?: string | null; url?: () => string; onChanged?: () => void }

export const makeModelProvider = ({ apiKey = null, url = () => '', onChanged = () => {} }: Options = {}) => {
  const state: ModelState = {
    apiKey,
    script: [],
    faults: makeModelFaults(onChanged),
    calls: [],
    count: 0,
    brain: null,
    waiting: makeWaiting(onChanged),
    onChanged,
  }
  return {
    stop: (): void => state.waiting.clear(),
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
        state.brain = null
        state.faults.clear()
        state.waiting.clear()
        onChanged()
      },
      model: () => ({
        url: url(),
        needsKey: state.apiKey !== null,
        brain: state.brain,
        waiting: state.waiting.list(),
        answered: state.calls.slice(-ANSWERED_SHOWN_MAX).map(showCall),
        faults: state.faults.list(),
      }),
      /** Who answers every request; null: the model that it names. */
      setBrain: (brain: ModelName | null): void => {
        state.brain = brain
        onChanged()
      },
      answerAsModel: (id: string, answer: AnswerInput): void => {
        if (!state.waiting.answer(id, answer))
          throw new ControlError('This request doesn’t wait for an answer any more.', 409)
      },
      removeModelFault: (id: string): boolean => state.faults.remove(id),
      /** The latest valid requests, the oldest first. */
      modelCalls: (): SeenCall[] => state.calls,
      addModelFault: (input: ModelFaultInput): ModelFault => state.faults.add(input),
      modelFaults: (): ModelFault[] => state.faults.list(),
    },
  }
}

const showCall = ({ wire, model, brain, atMs, heard, answer, fault }: SeenCall) => ({
  id: `${atMs} ${heard.entries.length} ${wire}`,
  wire,
  model,
  brain,
  atMs,
  said: saidIn(heard),
  answer,
  fault,
})

/** What the customer wrote last. */
const saidIn = ({ entries }: Heard): string => {
  const last = entries.findLast(({ from }) => from === 'user')
  return last && 'text' in last ? last.text : ''
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
