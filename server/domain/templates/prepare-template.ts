import type { Ctx } from '../../platform/ctx/ctx.ts'
import { checkHeaderFile } from './header-file.ts'
import { ensureFreshTemplate } from './refresh-templates.ts'

/**
 * What a send of a template needs before its transaction: the template as WhatsApp has it now, and a look into the file
 * of its header. Throws VALIDATION_ERROR.
 */
export const prepareTemplate = async (
  ctx: Ctx,
  body: { templateName: string; language?: string | undefined; headerAttachmentId?: string | undefined },
): Promise<void> => {
  await ensureFreshTemplate(ctx, body)
  await checkHeaderFile(ctx, body)
}
