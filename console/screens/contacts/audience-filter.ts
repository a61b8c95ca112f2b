// Turns a form's conditions into the server's filter. Pure.
import type { AudienceFilter } from '../../state/types.ts'
import { t } from '../../words/t.ts'

type FieldKind = 'text' | 'number' | 'boolean'
export type FieldCondition = { key: string; kind: FieldKind; value: string }
export type FilterDraft = {
  search: string
  country: string
  channel: string
  assignment: string
  hasOpen: boolean
  tagIds: string[]
  fields: FieldCondition[]
  /** Dates from a date field, in the viewer's time zone. */
  activeAfter: string
  activeBefore: string
}

export const EMPTY_FILTER: FilterDraft = {
  search: '',
  country: '',
  channel: '',
  assignment: '',
  hasOpen: false,
  tagIds: [],
  fields: [],
  activeAfter: '',
  activeBefore: '',
}

const typedValue = ({ kind, value }: FieldCondition): string | number | boolean =>
  kind === 'number' ? Number(value) : kind === 'boolean' ? value === 'true' : value

/** Why a condition on a field is invalid, or null. */
export const problemOfField = ({ key, kind, value }: FieldCondition): string | null =>
  key.trim() === ''
    ? t`Enter a field name.`
    : kind === 'number' && (value.trim() === '' || !Number.isFinite(Number(value)))
      ? t`Enter a number.`
      : null

/** A line that was added but not filled in yet. */
const isBlank = ({ key, kind, value }: FieldCondition): boolean =>
  key.trim() === '' && (kind === 'boolean' || value.trim() === '')

const dayMoment = (day: string, time: string): string => new Date(`${day}T${time}`).toISOString()

/** Null while there are no conditions or one is incomplete. */
export const filterOf = (draft: FilterDraft): AudienceFilter | null => {
  const fields = draft.fields.filter((field) => !isBlank(field))
  if (fields.some((field) => problemOfField(field) !== null)) return null
  const filter: AudienceFilter = {
    ...(draft.search.trim() && { search: draft.search.trim() }),
    ...(draft.country && { country: draft.country }),
    ...(draft.channel && { channel: draft.channel as AudienceFilter['channel'] }),
    ...(draft.assignment && { assignment: draft.assignment as AudienceFilter['assignment'] }),
    ...(draft.hasOpen && { hasOpen: true }),
    ...(draft.tagIds.length > 0 && { tagIds: draft.tagIds }),
    ...(fields.length > 0 && {
      customFields: Object.fromEntries(fields.map((field) => [field.key.trim(), typedValue(field)])),
    }),
    ...(draft.activeAfter && { activeAfter: dayMoment(draft.activeAfter, '00:00:00') }),
    ...(draft.activeBefore && { activeBefore: dayMoment(draft.activeBefore, '23:59:59.999') }),
  }
  return Object.keys(filter).length > 0 ? filter : null
}

/** Whether the directory can count the matches; it doesn't support the other conditions. */
export const isCountable = ({ tagIds, customFields, activeAfter, activeBefore }: AudienceFilter): boolean =>
  !tagIds && !customFields && !activeAfter && !activeBefore
