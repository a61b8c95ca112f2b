import { isTimeZone } from '../../../flow-engine/zone-time.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { invalid } from '../../platform/errors.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { defaultTimeZone } from './roll-up.ts'
import { findReportState, isKnownZone, updateTimeZone } from './roll-up-queries.ts'

/**
 * Sets the time zone whose days and hours the reports count. All days are counted again, the latest first. Throws
 * VALIDATION_ERROR for a zone that the server or its database doesn't know.
 */
export const setReportTimeZone = async (
  ctx: Ctx,
  { timeZone }: { timeZone: string },
): Promise<{ timeZone: string }> => {
  if (!isTimeZone(timeZone) || !(await isKnownZone(ctx, timeZone)))
    throw invalid({ field: 'timeZone', message: 'is not a known time zone' })
  const before = (await findReportState(ctx))?.timeZone ?? (await defaultTimeZone(ctx))
  if (before === timeZone) return { timeZone }
  return inTransaction(ctx, async (ctx) => {
    await updateTimeZone(ctx, timeZone)
    await recordAudit(ctx, {
      action: 'reports.updated',
      target: { type: 'workspace', id: ctx.workspaceId },
      changes: { timeZone: { from: before, to: timeZone } },
    })
    return { timeZone }
  })
}
