// Replies that people keep: the team's and one's own.
import { queryOptions } from '@tanstack/react-query'
import { t } from '../words/t.ts'
import type { WorkspaceApi } from './api.ts'
import { keys } from './query-keys.ts'
import type { SavedReply } from './types.ts'

export const savedRepliesQuery = (api: WorkspaceApi) =>
  queryOptions({
    queryKey: keys.setting(api.workspaceId, 'saved-replies'),
    queryFn: ({ signal }) => api.get<{ savedReplies: SavedReply[] }>('/saved-replies', {}, signal),
  })

/** What may stand in a text, and how it's called. */
export const REPLY_VALUES = [
  { path: 'contact.firstName', label: t`Customer’s first name` },
  { path: 'contact.name', label: t`Customer’s name` },
  { path: 'contact.email', label: t`Customer’s email` },
  { path: 'contact.phone', label: t`Customer’s phone` },
  { path: 'conversation.subject', label: t`Subject` },
  { path: 'agent.firstName', label: t`Your first name` },
  { path: 'agent.name', label: t`Your name` },
  { path: 'workspace.name', label: t`Workspace name` },
] as const

const CUSTOM_FIELD = 'contact.fields.'

/** "Customer’s first name"; custom fields by their own names. */
export const valueName = (path: string): string =>
  REPLY_VALUES.find((value) => value.path === path)?.label ??
  (path.startsWith(CUSTOM_FIELD) ? path.slice(CUSTOM_FIELD.length) : path)

/** One line in which values have their names. */
export const previewOf = (body: string): string =>
  body.replace(/\{\{([^|{}]{1,200})[^{}]*\}\}/g, (_, path: string) => `[${valueName(path.trim())}]`).trim()

/** Their folders, by name. */
export const foldersOf = (replies: readonly SavedReply[]): string[] =>
  [...new Set(replies.flatMap(({ folder }) => folder ?? []))].sort((a, b) => a.localeCompare(b))
