import type { TemplateDefinition } from '../../../channels/channel.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { findTemplates } from './queries.ts'

type Wanted = { templateName: string; language?: string | undefined }

/**
 * The requested approved template, in the version of each business account that has it. Without a language, the only
 * one it exists in. Relies on the stored templates (ensureFreshTemplate). Throws WHATSAPP_TEMPLATE_NOT_FOUND if no account
 * has it, and VALIDATION_ERROR if the language must be specified.
 */
export const chooseTemplate = async (
  ctx: Ctx,
  businessAccountIds: readonly string[],
  { templateName, language }: Wanted,
): Promise<Map<string, TemplateDefinition>> => {
  const chosen = new Map<string, TemplateDefinition>()
  const languages = new Set<string>()
  for (const id of new Set(businessAccountIds))
    for (const one of await findTemplates(ctx, id, templateName)) {
      if (!ctx.channels.whatsapp.isSendable(one) || (language !== undefined && one.language !== language))
        continue
      chosen.set(id, one)
      languages.add(one.language)
    }
  if (chosen.size === 0) throw new ApiError('WHATSAPP_TEMPLATE_NOT_FOUND')
  if (languages.size === 1) return chosen
  throw invalid({
    field: 'language',
    message: `is required: the template exists in ${[...languages].join(', ')}`,
  })
}
