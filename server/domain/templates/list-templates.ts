import type { Ctx } from '../../platform/ctx/ctx.ts'
import { listChannelAccounts } from '../channel-accounts/queries.ts'
import { listKeptTemplates } from './queries.ts'
import { refreshTemplates } from './refresh-templates.ts'
import type { Template, TemplateList } from './schema.ts'

/**
 * The approved templates of all connected numbers, each name and language once, fetched from WhatsApp now; for a number
 * that does not respond in time, as last fetched.
 */
export const listTemplates = async (ctx: Ctx): Promise<TemplateList> => {
  const accounts = await listChannelAccounts(ctx, 'whatsapp')
  await refreshTemplates(ctx, accounts)
  return { templates: await listKept(ctx, accounts) }
}

/** The same as last fetched, in two statements. */
export const listStoredTemplates = async (ctx: Ctx): Promise<Template[]> =>
  listKept(ctx, await listChannelAccounts(ctx, 'whatsapp'))

const listKept = async (
  ctx: Ctx,
  accounts: readonly { settings: { businessAccountId: string } }[],
): Promise<Template[]> => {
  const { isSendable, listedTemplate } = ctx.channels.whatsapp
  const kept = await listKeptTemplates(
    ctx,
    accounts.map(({ settings }) => settings.businessAccountId),
  )
  const byName = new Map<string, Template>()
  for (const definition of kept.filter(isSendable)) {
    const key = `${definition.name}\n${definition.language}`
    const known = byName.get(key)
    // Of several numbers' versions, prefer a sendable one.
    if (!known?.isSendable) {
      const listed = listedTemplate(definition)
      if (!known || listed.isSendable) byName.set(key, listed)
    }
  }
  return [...byName.values()]
}
