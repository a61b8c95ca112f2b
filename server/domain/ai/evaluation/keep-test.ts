// The tests of a workspace: written by people, or kept from what the agent did.
import { type Ctx, inTransaction } from '../../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../../platform/errors.ts'
import { lockWorkspace } from '../../workspaces/queries.ts'
import { OWN_TESTS_MAX, type OwnTest } from './own-test-schema.ts'
import { deleteKept, insertKept, type KeptTest, listKept, updateKept } from './test-queries.ts'

type Shown = Pick<KeptTest, 'id' | 'scenario'>

/** `turnId`: what it was kept from. At most 200 in a workspace. */
export const createTest = (
  ctx: Ctx,
  { scenario, turnId = null }: { scenario: OwnTest; turnId?: string | null | undefined },
): Promise<Shown> =>
  inTransaction(ctx, async (ctx) => {
    await lockWorkspace(ctx)
    if ((await listKept(ctx)).length >= OWN_TESTS_MAX)
      throw invalid({ field: 'name', message: `the workspace already has ${OWN_TESTS_MAX} tests` })
    const id = ctx.newId()
    await insertKept(ctx, { id, turnId, scenario })
    return { id, scenario }
  })

/** Throws AI_TEST_NOT_FOUND. */
export const changeTest = async (ctx: Ctx, change: Shown): Promise<Shown> => {
  if (!(await updateKept(ctx, change))) throw new ApiError('AI_TEST_NOT_FOUND')
  return change
}

/** Results of runs stay. Throws AI_TEST_NOT_FOUND. */
export const deleteTest = async (ctx: Ctx, id: string): Promise<{ success: true }> => {
  if (!(await deleteKept(ctx, id))) throw new ApiError('AI_TEST_NOT_FOUND')
  return { success: true }
}
