// Creating, changing and deleting business hours. One of them is the workspace's default, which flows use unless a step
// names others.
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { refuseWhileUsed } from '../live-flows.ts'
import { foldText } from '../search/search-text.ts'
import { lockWorkspace, touchTeamRevision } from '../workspaces/queries.ts'
import {
  clearDefaultHours,
  deleteBusinessHoursRow,
  insertBusinessHours,
  listBusinessHours,
  listTeamsWith,
  updateBusinessHoursRow,
} from './queries.ts'
import { readBusinessHours } from './read-business-hours.ts'
import { type BusinessHours, HOURS_MAX, type NewBusinessHours } from './schema.ts'

/**
 * The first hours of a workspace are its default. Throws VALIDATION_ERROR as in readBusinessHours, for a name that is
 * taken, and beyond 20 of them.
 */
export const createBusinessHours = (ctx: Ctx, input: NewBusinessHours): Promise<BusinessHours> =>
  inTransaction(ctx, async (ctx) => {
    const given = readBusinessHours(input)
    await lockWorkspace(ctx)
    const others = await listBusinessHours(ctx)
    if (others.length >= HOURS_MAX)
      throw invalid({ field: 'name', message: `the workspace already has ${HOURS_MAX} business hours` })
    refuseTaken(others, given.name)
    const hours = { ...given, id: ctx.newId(), isDefault: given.isDefault || others.length === 0 }
    if (hours.isDefault) await clearDefaultHours(ctx)
    await insertBusinessHours(ctx, { ...hours, nameKey: foldText(hours.name) })
    return hours
  })

/**
 * Replaces all of it. The default stays the default until others are made it. Throws NOT_FOUND, and VALIDATION_ERROR as in
 * createBusinessHours.
 */
export const updateBusinessHours = (ctx: Ctx, id: string, input: NewBusinessHours): Promise<BusinessHours> =>
  inTransaction(ctx, async (ctx) => {
    const given = readBusinessHours(input)
    await lockWorkspace(ctx)
    const all = await listBusinessHours(ctx)
    const before = all.find((hours) => hours.id === id)
    if (!before) throw noSuchHours()
    refuseTaken(
      all.filter((hours) => hours !== before),
      given.name,
    )
    const hours = { ...given, id, isDefault: given.isDefault || before.isDefault }
    if (hours.isDefault && !before.isDefault) await clearDefaultHours(ctx)
    await updateBusinessHoursRow(ctx, { ...hours, nameKey: foldText(hours.name) })
    await touchTeamRevision(ctx)
    return hours
  })

/**
 * Throws NOT_FOUND, and VALIDATION_ERROR for the default while there are others, and for hours that a live flow uses,
 * naming the flow, or a team.
 */
export const deleteBusinessHours = (ctx: Ctx, id: string): Promise<{ success: true }> =>
  inTransaction(ctx, async (ctx) => {
    await lockWorkspace(ctx)
    const all = await listBusinessHours(ctx)
    const hours = all.find((one) => one.id === id)
    if (!hours) throw noSuchHours()
    if (hours.isDefault && all.length > 1)
      throw invalid({ field: 'id', message: 'is the default. Make others the default first' })
    await refuseWhileUsed(ctx, { id, path: hours.isDefault ? USES_DEFAULT : USES_NAMED })
    const users = await listTeamsWith(ctx, id)
    if (users.length > 0)
      throw invalid({
        field: 'id',
        message: `is used by ${users.join(', ')}. Choose other hours there first`,
      })
    await deleteBusinessHoursRow(ctx, id)
    return { success: true }
  })

const USES_NAMED = '$.** ? (@.type == "hours" && @.hoursId == $id)'
/** Texts that show the next opening and the like use the default ones too. */
const USES_DEFAULT =
  '$.** ? ((@.type == "hours" && (!exists(@.hoursId) || @.hoursId == $id)) || (@.type == "wait" && @.until == "opening"))'

const refuseTaken = (others: readonly BusinessHours[], name: string): void => {
  if (others.some((other) => foldText(other.name) === foldText(name)))
    throw invalid({ field: 'name', message: 'is the name of other business hours' })
}

const noSuchHours = () => new ApiError('NOT_FOUND', { message: 'Business hours not found.' })
