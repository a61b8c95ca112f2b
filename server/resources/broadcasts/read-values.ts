import type { TemplateDefinition, TemplateProblem } from '../../../channels/channel.ts'
import type { Ctx } from '../../ctx.ts'
import type { ErrorDetail } from '../../errors.ts'
import type { Audience } from './schema.ts'

/**
 * Every mistake in the values of a broadcast, each naming the field that has it. The default parameters are judged
 * where somebody gets them; a row of the list with parameters of its own is judged by those.
 */
export const problemsOfValues = (
  ctx: Ctx,
  definitions: Iterable<TemplateDefinition>,
  { audience, parameters }: { audience: Audience; parameters: readonly string[] },
): ErrorDetail[] => {
  const rows = audience.type === 'recipients' ? audience.recipients : []
  const usesDefaults = rows.length === 0 || rows.some((row) => row.parameters === undefined)
  const found = new Map<string, ErrorDetail>()
  const add = (problems: TemplateProblem[], prefix: string) => {
    for (const { field, message } of problems) {
      const detail = detailOf(field, message, prefix)
      found.set(`${detail.field}\n${detail.message}`, detail)
    }
  }
  for (const definition of definitions) {
    const judge = (parameters: readonly string[]) =>
      ctx.channels.whatsapp.validateParameters(definition, { parameters })
    if (usesDefaults) add(judge(parameters), '')
    for (const [index, row] of rows.entries())
      if (row.parameters) add(judge(row.parameters), `audience.recipients[${index}].`)
  }
  return [...found.values()]
}

/** A broadcast brings no picture along; and what is wrong with the template itself is so for every row. */
const detailOf = (field: string, message: string, prefix: string): ErrorDetail => {
  if (field === 'headerImageUrl')
    return {
      field: 'templateName',
      message: 'has an image header without a picture of its own, which a broadcast cannot bring',
    }
  return { field: field.startsWith('parameters') ? `${prefix}${field}` : field, message }
}
