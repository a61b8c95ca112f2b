import type { TemplateItem } from '../../../channels/channel.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { record } from '../../platform/events/record.ts'
import { forgetFetch, setKept } from './queries.ts'

/**
 * Template changes that WhatsApp reports between two fetches. The states are WhatsApp's; the next use fetches the rest.
 */
export const applyTemplateChanges = async (ctx: Ctx, items: readonly TemplateItem[]): Promise<void> => {
  const changed = new Set<string>()
  for (const { businessAccountId, name, language, change, value, reason = null } of items) {
    if (businessAccountId === null) continue
    changed.add(businessAccountId)
    if (name === null || language === null || value === null) continue
    const place = { businessAccountId, name, language }
    if (change === 'status' && (await setKept(ctx, place, { status: value })).status !== value)
      await record(ctx, { type: 'template.status', data: { name, language, status: value, reason } })
    if (change === 'category') await setKept(ctx, place, { category: value })
  }
  if (changed.size > 0) await forgetFetch(ctx, [...changed])
}
