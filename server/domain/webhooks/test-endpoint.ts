import { recordedActor } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { invalid } from '../../platform/errors.ts'
import { isPublicType, PUBLIC_TYPES } from '../feed/catalogue.ts'
import { attemptDelivery } from './attempt-delivery.ts'
import { endTest, findContent, insertTest, listAttempts } from './delivery-queries.ts'
import type { TestBody, TestedEndpoint } from './delivery-schema.ts'
import { actorOf } from './event-body.ts'
import { requireDelivery } from './get-deliveries.ts'
import { requireEndpoint } from './get-endpoints.ts'

/** Stores the test, for performTest to make. Throws WEBHOOK_ENDPOINT_NOT_FOUND. */
export const prepareTest = (
  ctx: Ctx,
  endpointId: string,
  { type = 'ping' }: TestBody,
): Promise<TestedEndpoint> =>
  inTransaction(ctx, async (ctx) => {
    await requireEndpoint(ctx, endpointId)
    if (!isPublicType(type)) throw invalid({ field: 'type', message: 'is not a type of event' })
    const id = ctx.newId()
    const eventId = ctx.newId(id)
    const body = JSON.stringify({
      id: eventId,
      type,
      timestamp: ctx.now().toISOString(),
      sequence: null,
      previous: null,
      workspaceId: ctx.workspaceId,
      conversationId: null,
      contactId: null,
      channel: null,
      actor: actorOf(recordedActor(ctx.actor), null),
      requestId: ctx.requestId ?? null,
      data: isPublicType(type) ? PUBLIC_TYPES[type].example : {},
    })
    await insertTest(ctx, { id, endpointId, eventId, type, body })
    return {
      delivery: await requireDelivery(ctx, id),
      attempt: null,
      signed: { id: eventId, timestamp: '', body },
    }
  })

/** Makes the request now, whatever the endpoint's state, and waits for it: at most 15 seconds. */
export const performTest = async (
  ctx: Ctx,
  { delivery, signed }: TestedEndpoint,
): Promise<TestedEndpoint> => {
  const { id, endpointId, eventId } = delivery
  const endpoint = await requireEndpoint(ctx, endpointId)
  const { body } = (await findContent(ctx, id))!
  const attempt = await attemptDelivery(ctx, endpoint, {
    eventId,
    body: body ?? signed.body,
    kind: 'test',
    attempt: 1,
  })
  await endTest(ctx, id, { ...attempt, at: attempt.at.toISOString() })
  const [shown] = await listAttempts(ctx, id)
  return {
    delivery: await requireDelivery(ctx, id),
    attempt: shown ?? null,
    signed: { ...signed, timestamp: attempt.timestamp },
  }
}
