import type { TemplateDefinition } from '../../../channels/channel.ts'
import type { Ctx } from '../../ctx.ts'
import { ApiError, invalid } from '../../errors.ts'
import { findTemplates } from './queries.ts'

type Wanted = { templateName: string; language?: string | undefined }

/**
 * The approved template that is meant, as each of the business accounts has it that does. Without a language, the one
 * in which it exists. What is kept is relied upon (freshenTemplate). Throws WHATSAPP_TEMPLATE_NOT_FOUND where none has
 * it, and VALIDATION_ERROR for a language that has to be named.
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
