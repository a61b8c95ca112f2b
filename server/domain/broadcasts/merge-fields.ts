// The parameters that come from a recipient's contact. They are fixed with the audience, so that what was previewed is sent.
import { type RawBuilder, sql } from 'kysely'
import { invalid } from '../../platform/errors.ts'
import { PARAMETER_MAX } from '../templates/schema.ts'

const CUSTOM = 'customFields.'

/** Of the contact `k`. A contact without a name is called by their number, which is no name to greet them with. */
const NAME = sql`nullif(k.name, coalesce(k.phone, ''))`

const COLUMNS: Record<string, RawBuilder<unknown>> = {
  name: NAME,
  firstName: sql`split_part(btrim(${NAME}), ' ', 1)`,
  email: sql`k.email`,
  phone: sql`k.phone`,
}

type Merging = { parameters: readonly string[]; fields?: readonly (string | null)[] | undefined }

/** Throws VALIDATION_ERROR for fields that are unknown, or more or fewer than the parameters. */
export const requireFields = ({ parameters, fields }: Merging): void => {
  if (!fields) return
  if (fields.length !== parameters.length)
    throw invalid({ field: 'fields', message: 'must have one entry for each of parameters' })
  const unknown = fields.findIndex(
    (field) =>
      field !== null && !Object.hasOwn(COLUMNS, field) && !(field.startsWith(CUSTOM) && field !== CUSTOM),
  )
  if (unknown >= 0) throw invalid({ field: `fields[${unknown}]`, message: 'is not a field of contacts' })
}

/** Their parameters as JSON, null if all recipients get the same. WhatsApp accepts neither line breaks nor long gaps. */
export const mergedParameters = ({ parameters, fields }: Merging): RawBuilder<unknown> => {
  if (!fields?.some((field) => field !== null)) return sql`null::jsonb`
  const values = parameters.map((fallback, at) => {
    const field = fields[at] ?? null
    if (field === null) return sql`${fallback}::text`
    const value = COLUMNS[field] ?? sql`k.custom_fields ->> ${field.slice(CUSTOM.length)}::text`
    return sql`coalesce(nullif(left(btrim(regexp_replace(${value}, '\\s+', ' ', 'g')), ${sql.lit(PARAMETER_MAX)}), ''), ${fallback}::text)`
  })
  return sql`jsonb_build_array(${sql.join(values)})`
}
