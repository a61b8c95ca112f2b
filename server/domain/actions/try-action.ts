import type { Json } from '../../../flow-engine/paths.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { performCall } from './perform-call.ts'
import { getAction } from './save-action.ts'
import type { TriedAction } from './schema.ts'

/** Really calls the action, as a flow would, and shows what came of it to the admin who set it up. Throws NOT_FOUND. */
export const tryAction = async (
  ctx: Ctx,
  id: string,
  parameters: Readonly<Record<string, Json>>,
): Promise<TriedAction> => {
  const action = await getAction(ctx, id)
  const startedAt = performance.now()
  const { outcome, status, kept, problem, preview } = await performCall(ctx, action, parameters, {
    idempotencyKey: `try.${ctx.newId()}`,
    hasPreview: true,
  })
  const durationMs = Math.round(performance.now() - startedAt)
  ctx.log.info({ actionId: id, outcome, status, code: problem?.code, durationMs }, 'an action was tried')
  return { outcome, status, kept, problem, preview, durationMs }
}
