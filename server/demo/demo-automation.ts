// What the demo's flows need: when the shop is open, and an action that looks up an order in the sandbox's shop. And how
// soon the shop means to reply.
import { listActions } from '../domain/actions/queries.ts'
import { createAction, showAction, updateAction } from '../domain/actions/save-action.ts'
import type { NewAction } from '../domain/actions/schema.ts'
import { createBusinessHours } from '../domain/business-hours/business-hours.ts'
import { listBusinessHours } from '../domain/business-hours/queries.ts'
import { saveTargets } from '../domain/teams/teams.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { isLoopbackUrl } from '../platform/loopback.ts'

const ORDERS_PATH = '/shop/orders/{{number}}'
const NAME = 'Look up an order'
/** Within how many minutes customers are answered, in the shop's hours. */
export const TARGETS = { firstAnswerMinutes: 60, nextAnswerMinutes: 120 }
const DAY = [{ from: '09:00', to: '18:00' }]

const lookUp = (sandboxUrl: string): NewAction => ({
  name: NAME,
  method: 'GET',
  url: `${sandboxUrl}${ORDERS_PATH}`,
  headers: [],
  parameters: [{ name: 'number', type: 'string', isRequired: true, maxLength: 20 }],
  keep: [
    { name: 'number', path: 'order.number' },
    { name: 'status', path: 'order.status' },
    { name: 'expectedOn', path: 'order.expectedOn' },
    { name: 'item', path: 'order.items.0' },
  ],
  timeoutMs: 5_000,
  isRepeatable: true,
  risk: 'read',
  needs: 'none',
  confirm: 'none',
})

/**
 * Adds both to a new demo. Later, the action follows the sandbox when that listens on another port, unless somebody
 * pointed it elsewhere.
 */
export const prepareAutomation = async (
  ctx: Ctx,
  { sandboxUrl, isNew }: { sandboxUrl: string; isNew: boolean },
): Promise<void> => {
  const actions = await listActions(ctx)
  for (const action of actions)
    if (
      isLoopbackUrl(action.url.replaceAll(/[{}]/g, '')) &&
      action.url.endsWith(ORDERS_PATH) &&
      action.url !== `${sandboxUrl}${ORDERS_PATH}`
    ) {
      const { id, headerNames: _, ...rest } = showAction(action)
      await updateAction(ctx, id, { ...rest, url: `${sandboxUrl}${ORDERS_PATH}`, headers: [] })
    }
  if (!isNew) return
  if (!actions.some(({ name }) => name === NAME)) await createAction(ctx, lookUp(sandboxUrl))
  if ((await listBusinessHours(ctx)).length === 0) {
    const { id: hoursId } = await createBusinessHours(ctx, {
      name: 'Shop hours',
      isDefault: true,
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      weekly: { mon: DAY, tue: DAY, wed: DAY, thu: DAY, fri: DAY, sat: [{ from: '10:00', to: '14:00' }] },
      exceptions: [
        { date: '01-01', name: 'New Year', periods: [] },
        { date: '12-24', name: 'Christmas Eve', periods: [{ from: '09:00', to: '13:00' }] },
        { date: '12-25', name: 'Christmas', periods: [] },
      ],
    })
    await saveTargets(ctx, { ...TARGETS, hoursId, aiCounts: true })
  }
}
