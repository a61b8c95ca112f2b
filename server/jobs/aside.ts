// Low-priority provider calls. However many hang, they take only part of the job slots, and an account whose provider
// does not respond is skipped.

import { DeliveryError } from '../../channels/channel.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { addJob } from '../platform/queue/add-job.ts'
import type { JobPayloads } from '../platform/queue/catalogue.ts'
import { makeGate } from '../platform/queue/gate.ts'
import { circuitOf, isSilence } from './account-circuit.ts'

/** Out of the job slots in a process. */
const ASIDES_MAX = 24
const AGAIN_MIN_MS = 1_000

const asides = makeGate(ASIDES_MAX)

/** Runs the job, or postpones it until there is a slot and its provider may be called. */
export const runAside = async <N extends 'fetch_profile' | 'mark_read' | 'send_reaction'>(
  ctx: Ctx,
  name: N,
  payload: JobPayloads[N],
  work: () => Promise<void>,
): Promise<void> => {
  const circuit = circuitOf(payload.channelAccountId)
  const waitMs = circuit.isOpen() ? circuit.probeInMs() : 0
  if (waitMs > 0 || asides.free() === 0) {
    const runAt = new Date(ctx.now().getTime() + Math.max(waitMs, AGAIN_MIN_MS))
    return addJob(ctx, name, payload, { runAt })
  }
  if (circuit.isOpen()) circuit.takeProbe()
  try {
    await asides.through(work)
    circuit.answered()
  } catch (error) {
    if (error instanceof DeliveryError && isSilence(error)) circuit.silent()
    throw error
  }
}
