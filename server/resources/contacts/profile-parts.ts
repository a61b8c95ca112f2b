import { sql } from 'kysely'
import { fileUrl, type Links } from '../../files/links.ts'
import type { ContactProfile } from './schema.ts'

/** The profile shows the newest of each. */
export const NOTES_SHOWN_MAX = 500
export const FLOWS_SHOWN_MAX = 100

/** A column as the API writes times, inside a statement. */
export const iso = (column: string) =>
  sql`to_char(${sql.raw(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** The row names the picture's file; whoever reads the profile gets its address. */
export const withAvatarLink = (links: Links, profile: ContactProfile): ContactProfile => {
  const { avatarUrl } = profile.contact
  return avatarUrl === null
    ? profile
    : { ...profile, contact: { ...profile.contact, avatarUrl: fileUrl(links, avatarUrl) } }
}
