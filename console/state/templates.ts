// The templates of the connected numbers in the cache.

import { queryOptions } from '@tanstack/react-query'
import { LOCALE } from '../words/locale.ts'
import type { WorkspaceApi } from './api.ts'
import { keys } from './query-keys.ts'
import type { RichTemplate } from './types.ts'

export const templatesQuery = (api: WorkspaceApi) =>
  queryOptions({
    queryKey: keys.templates(api.workspaceId),
    queryFn: ({ signal }) => api.get<{ templates: RichTemplate[] }>('/templates', {}, signal),
  })

/** A template: one name in several languages. */
export type TemplateVersions = { name: string; versions: RichTemplate[] }

export const byName = (templates: readonly RichTemplate[]): TemplateVersions[] =>
  [...Map.groupBy(templates, ({ name }) => name)].map(([name, versions]) => ({ name, versions }))

/** The viewer's language if available, else the first. */
export const preferredVersion = (versions: readonly RichTemplate[]): RichTemplate => {
  const own = navigator.language.slice(0, 2)
  return versions.find(({ language }) => language.startsWith(own)) ?? versions[0]!
}

/** `en_US` as "English (United States)"; unknown codes are returned unchanged. */
export const languageName = (code: string): string => {
  try {
    return languages.of(code.replace('_', '-')) ?? code
  } catch {
    return code
  }
}
const languages = new Intl.DisplayNames(LOCALE, { type: 'language', languageDisplay: 'standard' })

const words = (text: string): string => {
  const lower = text.toLowerCase().replaceAll('_', ' ')
  return lower.charAt(0).toUpperCase() + lower.slice(1)
}

const STATUS_TONES = {
  APPROVED: 'ok',
  REINSTATED: 'ok',
  PENDING: 'warn',
  IN_APPEAL: 'warn',
  FLAGGED: 'warn',
  PAUSED: 'warn',
  LIMIT_EXCEEDED: 'warn',
  REJECTED: 'danger',
  DISABLED: 'danger',
  PENDING_DELETION: 'danger',
  DELETED: 'danger',
} as const

/** The label of WhatsApp's status; unknown ones are shown as they are. */
export const statusOf = (status: string) => ({
  text: words(status || 'unknown'),
  tone: STATUS_TONES[status as keyof typeof STATUS_TONES] ?? ('plain' as const),
})
export const categoryOf = (category: string): string => words(category)

/** Why WhatsApp rejected it, as its own code, usually NONE. */
export const refusalOf = ({ rejectedReason }: RichTemplate): string | null =>
  rejectedReason && rejectedReason !== 'NONE' ? words(rejectedReason) : null
