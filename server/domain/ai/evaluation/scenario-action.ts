// An action that a scenario brings along, as the workspace would store it.
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import type { StoredAction } from '../../actions/queries.ts'
import type { NewAction } from '../../actions/schema.ts'
import type { ScenarioAction } from './scenario.ts'

/** Nothing answers there: in a rehearsal, nothing is called. */
const NOWHERE = 'https://actions.invalid'

export const newAction = (
  { name, parameters, needs = 'none', confirm = 'customer' }: ScenarioAction,
  origin: string,
): NewAction => ({
  name,
  method: 'POST',
  url: `${origin}/actions`,
  headers: [],
  parameters: parameters.map((name) => ({ name, type: 'string', isRequired: true })),
  keep: [],
  timeoutMs: 5_000,
  isRepeatable: false,
  risk: 'write',
  needs,
  confirm,
})

export const storedAction = (ctx: Ctx, action: ScenarioAction): StoredAction => {
  const { headers: _, ...rest } = newAction(action, NOWHERE)
  return {
    ...rest,
    id: ctx.newId(),
    workspaceId: ctx.workspaceId,
    headerNames: [],
    headers: null,
    tool: null,
  }
}
