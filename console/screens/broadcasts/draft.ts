// A broadcast draft and which parts of it are complete. Pure.

import { problemOfValue } from '../../state/template-text.ts'
import type { Audience, RichTemplate } from '../../state/types.ts'
import { momentAt } from '../../state/wall-time.ts'
import { t } from '../../words/t.ts'
import { EMPTY_FILTER, type FilterDraft, filterOf } from '../contacts/audience-filter.ts'
import type { Chosen } from '../contacts/chosen-contacts.tsx'
import { fileKindOf } from './file-kinds.ts'
import { ROWS_MAX, type Rows } from './read-rows.ts'

export type Way = 'group' | 'contacts' | 'filter' | 'recipients'
export type Draft = {
  way: Way | null
  groupId: string
  contacts: Chosen[]
  filter: FilterDraft
  /** The pasted text and what was parsed from it. */
  text: string
  table: Rows
  templateName: string
  language: string
  /** Values for everyone, or for rows without values of their own. */
  values: string[]
  /** The field of the contact that goes in the place of each value; null: the same for everyone. */
  fields: (string | null)[]
  /** The uploaded file of the template's header. */
  headerFileId: string
  name: string
  /** In the time zone, without seconds; empty: at once. */
  sendAt: string
  /** Empty: that of the default business hours. */
  timeZone: string
}

export const EMPTY_DRAFT: Draft = {
  way: null,
  groupId: '',
  contacts: [],
  filter: EMPTY_FILTER,
  text: '',
  table: { rows: [], problems: [], headings: null },
  templateName: '',
  language: '',
  values: [],
  fields: [],
  headerFileId: '',
  name: '',
  sendAt: '',
  timeZone: '',
}

/** Null while no recipients are chosen. Rows include as many values as the template has parameters. */
export const audienceOf = (draft: Draft, template?: RichTemplate | undefined): Audience | null => {
  switch (draft.way) {
    case 'group':
      return draft.groupId ? { type: 'group', groupId: draft.groupId } : null
    case 'contacts':
      return draft.contacts.length > 0
        ? { type: 'contacts', contactIds: draft.contacts.map(({ id }) => id) }
        : null
    case 'filter': {
      const filter = filterOf(draft.filter)
      return filter && { type: 'filter', filter }
    }
    case 'recipients': {
      const { rows, problems } = draft.table
      if (rows.length === 0 || rows.length > ROWS_MAX || problems.length > 0) return null
      const takesValues = !template || template.countParameters > 0
      return {
        type: 'recipients',
        recipients: rows.map(({ phone, name, parameters }) => ({
          phone,
          ...(name && { name: name.slice(0, 120) }),
          ...(takesValues && parameters && { parameters }),
        })),
      }
    }
    default:
      return null
  }
}

/** Whether any recipient gets the shared values. */
export const usesShared = ({ way, table }: Draft): boolean =>
  way !== 'recipients' || table.rows.some(({ parameters }) => parameters === undefined)

/** Rows with values that don't fit the template, with the reason. */
export const problemsOfRows = (
  { way, table }: Draft,
  template: RichTemplate,
): { line: number; message: string }[] => {
  if (way !== 'recipients' || template.countParameters === 0) return []
  return table.rows.flatMap(({ line, parameters }) => {
    if (!parameters) return []
    if (parameters.length !== template.countParameters)
      return [
        {
          line,
          message: t`${parameters.length} ${parameters.length === 1 ? t`value` : t`values`}, but the template needs ${template.countParameters}`,
        },
      ]
    const at = parameters.findIndex((value) => problemOfValue(value) !== null)
    if (at < 0) return []
    const problem = problemOfValue(parameters[at]!)!
    return [{ line, message: t`value ${at + 1}: ${problem.charAt(0).toLowerCase()}${problem.slice(1, -1)}` }]
  })
}

export const isTemplateReady = (draft: Draft, template: RichTemplate | undefined): boolean =>
  template !== undefined &&
  (fileKindOf(template.headerFormat) === null || draft.headerFileId !== '') &&
  problemsOfRows(draft, template).length === 0 &&
  (!usesShared(draft) || sharedValues(draft, template).every((value) => problemOfValue(value) === null))

/** Limited to the number of parameters in the template. */
export const sharedValues = ({ values }: Draft, { countParameters }: RichTemplate): string[] =>
  Array.from({ length: countParameters }, (_, index) => values[index] ?? '')

/** The shared values as a contact of that name gets them; fields other than the name show their fallback. */
export const valuesFor = (draft: Draft, template: RichTemplate, name: string | null): string[] =>
  sharedValues(draft, template).map((value, index) => {
    const field = draft.fields[index]
    const known = field === 'name' ? name : field === 'firstName' ? name?.trim().split(' ')[0] : null
    // Who has no name is called by their number, which isn't used.
    return known && !known.startsWith('+') ? known : value
  })

/** What is sent beside the audience and the template. */
export const planOf = (draft: Draft, template: RichTemplate, timeZone: string) => {
  const moment = draft.sendAt === '' ? null : momentAt(draft.sendAt, timeZone)
  return {
    ...(draft.name.trim() !== '' && { name: draft.name.trim() }),
    ...mergedFieldsOf(draft, template),
    ...headerOf(draft, template),
    ...(moment && { scheduledAt: moment.toISOString() }),
  }
}

/** Fields of the contact in the place of values, if any. */
export const mergedFieldsOf = (draft: Draft, { countParameters }: RichTemplate) => {
  const fields = Array.from({ length: countParameters }, (_, index) => draft.fields[index] ?? null)
  return usesShared(draft) && fields.some((field) => field !== null) ? { fields } : {}
}

/** The file of the header, if the template takes one. */
export const headerOf = ({ headerFileId }: Draft, { headerFormat }: RichTemplate) =>
  fileKindOf(headerFormat) !== null && headerFileId !== '' ? { headerAttachmentId: headerFileId } : {}
