// Requests to a provider of models from this process: a limited number at once, and none for a while where they fail.
import { ModelError, type ModelProblem } from '../../../../models/contract.ts'
import { makeCircuits } from '../../../platform/circuit.ts'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { makeGate } from '../../../platform/queue/gate.ts'

/** Of all workspaces. */
const REQUESTS_MAX = 32
const ALONE_MS = 60_000

const gate = makeGate(REQUESTS_MAX)
const circuitOf = makeCircuits({
  silencesMax: 5,
  withinMs: 30_000,
  probeMinMs: ALONE_MS,
  probeMaxMs: ALONE_MS,
})

/** The provider answered, if only to say that it can't do this. */
const ANSWERS: ReadonlySet<ModelProblem> = new Set(['filtered', 'tooLong', 'badAnswer', 'badRequest'])

/**
 * Makes a request when it is its turn. A provider that has failed five times in thirty seconds is left alone for a
 * minute, and then gets one request to see: meanwhile this throws a ModelError, temporary.
 */
export const callProvider = async <T>(
  { workspaceId }: Pick<Ctx, 'workspaceId'>,
  { baseUrl }: { baseUrl: string },
  request: () => Promise<T>,
): Promise<T> => {
  const circuit = circuitOf(`${workspaceId} ${baseUrl}`)
  return gate.through(async () => {
    if (circuit.isOpen()) {
      const waitMs = circuit.probeInMs()
      if (waitMs > 0)
        throw new ModelError('temporary', 'The provider failed several times in a row.', {
          retryAfterMs: waitMs,
        })
      circuit.takeProbe()
    }
    try {
      const answer = await request()
      circuit.answered()
      return answer
    } catch (error) {
      if (error instanceof ModelError && ANSWERS.has(error.problem)) circuit.answered()
      else if (!(error instanceof ModelError) || error.problem !== 'cancelled') circuit.silent()
      throw error
    }
  })
}
