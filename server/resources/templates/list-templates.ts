import type { Ctx } from '../../ctx.ts'
import { listChannelAccounts } from '../channel-accounts/queries.ts'
import { listKeptTemplates } from './queries.ts'
import { refreshTemplates } from './refresh-templates.ts'
import type { TemplateList } from './schema.ts'

/**
 * The approved templates of all connected numbers, each name and language once, as WhatsApp has them now; of a number
 * that does not answer in time, as they were when it last did.
 */
export const listTemplates = async (ctx: Ctx): Promise<TemplateList> => {
  const accounts = await listChannelAccounts(ctx, 'whatsapp')
  await refreshTemplates(ctx, accounts)
  const { isSendable, listedTemplate } = ctx.channels.whatsapp
  const kept = await listKeptTemplates(
    ctx,
    accounts.map(({ settings }) => settings.businessAccountId),
  )
  const byName = new Map<string, ReturnType<typeof listedTemplate>>()
  for (const definition of kept.filter(isSendable)) {
    const key = `${definition.name}\n${definition.language}`
    if (!byName.has(key)) byName.set(key, listedTemplate(definition))
  }
  return { templates: [...byName.values()] }
}
