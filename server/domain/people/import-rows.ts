import { sql } from 'kysely'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { requireSeesAll } from '../../platform/ctx/permissions.ts'
import { ApiError } from '../../platform/errors.ts'
import {
  CONTACT_NAME_MAX,
  CUSTOM_FIELD_KEY_MAX,
  CUSTOM_FIELD_VALUE_MAX,
  CUSTOM_FIELDS_PER_REQUEST_MAX,
  EXTERNAL_ID_MAX,
} from '../contacts/schema.ts'
import type { UpsertContactBody } from '../contacts/upsert-schema.ts'
import { csvCell } from '../csv-cell.ts'
import { EMAIL_PATTERN } from '../read-fields.ts'
import { EMAIL_MAX } from '../schema.ts'
import type { ImportColumn, ImportedRow, ImportRowsBody } from './import-rows-schema.ts'
import { upsertContact } from './upsert-contact.ts'

class Refused extends Error {}
class PreviewEnds extends Error {}

/**
 * Creates or updates a contact for each row, found by its email, number and external id like upsertContact. A row that
 * can't be stored is refused with a reason, and the others are stored: in one transaction, so that a call can be repeated.
 * Throws FORBIDDEN for an actor who doesn't see all contacts, because rows would tell them who exists.
 */
export const importRows = async (
  ctx: Ctx,
  { columns, rows, isPreview = false }: ImportRowsBody,
): Promise<{ rows: ImportedRow[] }> => {
  requireSeesAll(ctx.actor)
  let imported: ImportedRow[] = []
  try {
    await inTransaction(ctx, async (ctx) => {
      imported = []
      // Two with the same people in another order would wait for each other.
      await sql`select pg_advisory_xact_lock(hashtextextended(${`import rows ${ctx.workspaceId}`}, 0))`.execute(
        ctx.db,
      )
      for (const cells of rows) imported.push(await importRow(ctx, columns, cells))
      if (isPreview) throw new PreviewEnds()
    })
  } catch (error) {
    if (!(error instanceof PreviewEnds)) throw error
  }
  return { rows: imported }
}

const importRow = async (
  ctx: Ctx,
  columns: readonly ImportColumn[],
  cells: readonly string[],
): Promise<ImportedRow> => {
  await sql`savepoint import_row`.execute(ctx.db)
  try {
    const { created } = await upsertContact(ctx, readRow(columns, cells))
    await sql`release savepoint import_row`.execute(ctx.db)
    return { is: created ? 'created' : 'updated', problem: null, line: null }
  } catch (error) {
    const problem = problemOf(error)
    await sql`rollback to savepoint import_row`.execute(ctx.db)
    return { is: 'refused', problem, line: [problem, ...cells].map(csvCell).join(',') }
  }
}

const problemOf = (error: unknown): string => {
  if (error instanceof Refused) return error.message
  if (!(error instanceof ApiError)) throw error
  if (error.code === 'CONTACT_CONFLICT') return 'Its email, phone and ID belong to different contacts'
  if (!error.details) return error.message
  return error.details
    .map(({ field, message }) => `${field.replace(/^(match|set)\./, '')} ${message}`)
    .join('; ')
}

/** Empty cells change nothing. Several columns of a name are its parts. */
const readRow = (columns: readonly ImportColumn[], cells: readonly string[]): UpsertContactBody => {
  const given = columns.flatMap((column, index) => {
    const text = (cells[index] ?? '').replaceAll('\0', '').toWellFormed().trim()
    return text === '' || column.to === 'none' ? [] : [{ ...column, text }]
  })
  const first = (to: ImportColumn['to']) => given.find((one) => one.to === to)?.text
  const name = given.flatMap((one) => (one.to === 'name' ? [one.text] : [])).join(' ')
  const [email, phone, externalId] = [first('email'), first('phone'), first('externalId')]
  if (!email && !phone && !externalId) throw new Refused('Needs an email, a phone number or an ID')
  if (email && (!EMAIL_PATTERN.test(email) || [...email].length > EMAIL_MAX))
    throw new Refused('The email is not an email address')
  atMost('The ID', externalId, EXTERNAL_ID_MAX)
  atMost('The name', name, CONTACT_NAME_MAX)
  const fields = given.filter(({ to }) => to === 'field')
  if (fields.length > CUSTOM_FIELDS_PER_REQUEST_MAX)
    throw new Refused(`At most ${CUSTOM_FIELDS_PER_REQUEST_MAX} custom fields at a time`)
  const customFields: Record<string, string> = {}
  for (const { field = '', text } of fields) {
    const key = field.trim()
    if (key === '') continue
    atMost('The name of a field', key, CUSTOM_FIELD_KEY_MAX)
    atMost(key, text, CUSTOM_FIELD_VALUE_MAX)
    customFields[key] = text
  }
  return {
    match: { ...(externalId && { externalId }), ...(email && { email }), ...(phone && { phone }) },
    set: { ...(name && { name }), ...(Object.keys(customFields).length > 0 && { customFields }) },
  }
}

const atMost = (what: string, text: string | undefined, max: number): void => {
  if ([...(text ?? '')].length > max) throw new Refused(`${what} is longer than ${max} characters`)
}
