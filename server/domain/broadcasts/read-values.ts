import type { HeaderValues, TemplateDefinition, TemplateProblem } from '../../../channels/channel.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { ErrorDetail } from '../../platform/errors.ts'
import { mapInTurns } from '../../platform/in-turns.ts'
import type { Audience } from './schema.ts'

/**
 * Every mistake in the values of a broadcast, each naming its field. The default parameters are only checked if someone
 * receives them; a listed recipient with parameters of their own is checked against those.
 */
export const problemsOfValues = async (
  ctx: Ctx,
  definitions: Iterable<TemplateDefinition>,
  {
    audience,
    parameters,
    header,
  }: { audience: Audience; parameters: readonly string[]; header: HeaderValues },
): Promise<ErrorDetail[]> => {
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
      ctx.channels.whatsapp.validateParameters(definition, { ...header, parameters })
    if (usesDefaults) add(judge(parameters), '')
    await mapInTurns(rows, (row, index) => {
      if (row.parameters) add(judge(row.parameters), `audience.recipients[${index}].`)
    })
  }
  return [...found.values()]
}

/** The header and the template itself are the same for every row. */
const detailOf = (field: string, message: string, prefix: string): ErrorDetail => ({
  field: field.startsWith('parameters') ? `${prefix}${field}` : field,
  message,
})
