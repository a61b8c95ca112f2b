import type { Ctx } from '../../platform/ctx/ctx.ts'
import { listChannelAccounts } from '../channel-accounts/queries.ts'
import { listKeptByAccount } from './queries.ts'
import { refreshTemplates } from './refresh-templates.ts'
import type { RichTemplate } from './schema.ts'

/**
 * All templates of the connected numbers, in any state, each name and language once with the numbers that can send it
 * now. Fetched from WhatsApp as in listTemplates. If business accounts differ, a sendable version is shown.
 */
export const describeTemplates = async (ctx: Ctx): Promise<{ templates: RichTemplate[] }> => {
  const accounts = await listChannelAccounts(ctx, 'whatsapp')
  await refreshTemplates(ctx, accounts)
  const numbers = Map.groupBy(accounts, ({ settings }) => settings.businessAccountId)
  const kept = await listKeptByAccount(ctx, [...numbers.keys()])
  const described = kept.map(({ businessAccountId, definition }) => ({
    template: ctx.channels.whatsapp.describeTemplate(definition),
    numbers: numbers.get(businessAccountId) ?? [],
  }))
  const groups = Map.groupBy(described, ({ template }) => `${template.name}\n${template.language}`)
  const templates = [...groups.values()].map((versions): RichTemplate => {
    const sendable = versions.filter(({ template }) => template.isSendable)
    const { template } = sendable[0] ?? versions[0]!
    const sendingNumbers = sendable
      .flatMap(({ numbers }) => numbers)
      .map(({ id, address, name }) => ({ id, address: address ?? name }))
    return { ...template, sendingNumbers }
  })
  return { templates }
}
