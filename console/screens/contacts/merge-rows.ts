// What two contacts have, part by part, as they are compared before a merge.
import type { Profile } from '../../state/types.ts'
import { t } from '../../words/t.ts'

type Contact = Profile['contact']
export type Value = string | number | boolean | null

export const UNDO_DAYS = 30

type Row = { part: string; label: string; values: [Value, Value] }

/** A name that is only an address gives way to a real one. */
const nameOf = ({ name, email, phone }: Contact): string | null =>
  name === email || name === phone ? null : name

/** `part`: as the server takes it. Parts that neither has are left out. */
export const rowsOf = (kept: Contact, gone: Contact): Row[] => {
  const fields = [...new Set([kept, gone].flatMap(({ customFields }) => Object.keys(customFields)))]
  const rows: Row[] = [
    { part: 'name', label: t`Name`, values: [nameOf(kept), nameOf(gone)] },
    { part: 'email', label: t`Email`, values: [kept.email, gone.email] },
    { part: 'phone', label: t`Phone`, values: [kept.phone, gone.phone] },
    ...fields.map(
      (key): Row => ({
        part: `customFields.${key}`,
        label: key,
        values: [kept.customFields[key] ?? null, gone.customFields[key] ?? null],
      }),
    ),
  ]
  return rows.filter(({ values }) => values.some((value) => value !== null))
}
