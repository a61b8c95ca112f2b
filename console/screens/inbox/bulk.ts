// Changes to one or several conversations at once: shown at once, taken back where the server refuses, and undone
// together. Loaded when the first is made.
import type { QueryClient } from '@tanstack/react-query'
import type { WorkspaceApi } from '../../state/api.ts'
import { isUntilReply, patchConversation, UNTIL_REPLY } from '../../state/conversations.ts'
import { dateTimeOf } from '../../state/dates.ts'
import { keys } from '../../state/query-keys.ts'
import type { Agent, ConversationRow as Row, Tag, Team } from '../../state/types.ts'
import { toast, toastError } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { noteOwnChange } from './held-order.ts'

export const PRIORITIES = [t`None`, t`Low`, t`High`, t`Urgent`] as const

type Call = { ids: string[]; body: object }

export type Change = {
  /** What is said afterwards, for one. */
  words: string
  body: object
  patch: (row: Row) => Partial<Row>
  /** What leads back, for rows as they were. */
  undo: (rows: readonly Row[]) => Call[]
}

const idsOf = (rows: readonly Row[]): string[] => rows.map(({ id }) => id)

/** One call for each value that rows had. */
const backTo = <T>(rows: readonly Row[], had: (row: Row) => T, bodyOf: (value: T) => object): Call[] =>
  [...Map.groupBy(rows, had)].map(([value, group]) => ({ ids: idsOf(group), body: bodyOf(value) }))

const snoozedBack = (rows: readonly Row[]): Call[] =>
  backTo(
    rows.filter(({ snoozedUntil }) => snoozedUntil && Date.parse(snoozedUntil) > Date.now()),
    ({ snoozedUntil }) => snoozedUntil,
    (until) => ({ action: 'snooze', until }),
  )

const only = (rows: readonly Row[], status: Row['status']): Row[] =>
  rows.filter((row) => row.status === status)

export const closing: Change = {
  words: t`Closed`,
  body: { action: 'close' },
  patch: () => ({ status: 'closed', snoozedUntil: null }),
  undo: (rows) => [
    { ids: idsOf(only(rows, 'open')), body: { action: 'reopen' } },
    ...snoozedBack(only(rows, 'open')),
  ],
}

export const reopening: Change = {
  words: t`Reopened`,
  body: { action: 'reopen' },
  patch: () => ({ status: 'open' }),
  undo: (rows) => [{ ids: idsOf(only(rows, 'closed')), body: { action: 'close' } }],
}

type Assignee = Pick<Agent, 'id' | 'nickname' | 'role'>

export const assigning = (to: Assignee | null): Change => ({
  words: to ? t`Assigned to ${to.nickname}` : t`Unassigned`,
  body: to ? { action: 'assign', agentId: to.role === 'ai' ? 'ai' : to.id } : { action: 'unassign' },
  patch: () => ({
    assignment: to && {
      agentId: to.id,
      agentNickname: to.nickname,
      isAi: to.role === 'ai',
      assignedAt: new Date().toISOString(),
    },
  }),
  undo: (rows) =>
    backTo(
      rows,
      ({ assignment }) => (assignment?.isAi ? 'ai' : assignment?.agentId),
      (agentId) => (agentId === undefined ? { action: 'unassign' } : { action: 'assign', agentId }),
    ),
})

type TeamName = Pick<Team, 'id' | 'name' | 'members'>

export const teaming = (to: TeamName | null): Change => ({
  words: to ? t`Moved to ${to.name}` : t`Removed from the team`,
  body: { action: 'team', teamId: to?.id ?? null },
  // Only a member of the team keeps it; who gets it then, the server knows.
  patch: ({ assignment }) => ({
    team: to && { id: to.id, name: to.name },
    ...(to && !to.members.some(({ id }) => id === assignment?.agentId) && { assignment: null }),
  }),
  undo: (rows) => [
    ...backTo(
      rows,
      ({ team }) => team?.id ?? null,
      (teamId) => ({ action: 'team', teamId }),
    ),
    ...assigning(null).undo(rows),
  ],
})

export const snoozing = (until: string): Change => ({
  words: t`Snoozed until ${isUntilReply(until) ? t`they reply` : dateTimeOf(until)}`,
  body: { action: 'snooze', until },
  patch: () => ({ snoozedUntil: until }),
  undo: (rows) => [
    { ids: idsOf(rows.filter(({ snoozedUntil }) => !snoozedUntil)), body: { action: 'unsnooze' } },
    ...snoozedBack(rows),
  ],
})

export const waking: Change = {
  words: t`Snooze ended`,
  body: { action: 'unsnooze' },
  patch: () => ({ snoozedUntil: null }),
  undo: snoozedBack,
}

const hasTag = ({ tags }: Row, id: string): boolean => tags.some((tag) => tag.id === id)

export const tagging = (tag: Tag, isAdded: boolean): Change => ({
  words: isAdded ? t`Tagged ${tag.name}` : t`${tag.name} removed`,
  body: { action: 'tag', [isAdded ? 'addTagIds' : 'removeTagIds']: [tag.id] },
  patch: (row) => {
    const others = row.tags.filter(({ id }) => id !== tag.id)
    return { tags: isAdded ? [...others, tag].sort((a, b) => a.name.localeCompare(b.name)) : others }
  },
  undo: (rows) => [
    {
      ids: idsOf(rows.filter((row) => hasTag(row, tag.id) !== isAdded)),
      body: { action: 'tag', [isAdded ? 'removeTagIds' : 'addTagIds']: [tag.id] },
    },
  ],
})

export const prioritizing = (priority: number): Change => ({
  words: priority === 0 ? t`Priority removed` : t`Priority: ${PRIORITIES[priority]?.toLowerCase()}`,
  body: { action: 'prioritize', priority },
  patch: () => ({ priority }),
  undo: (rows) =>
    backTo(
      rows,
      (row) => row.priority,
      (priority) => ({ action: 'prioritize', priority }),
    ),
})

export const reading: Change = {
  words: t`Marked as read`,
  body: { action: 'read' },
  patch: () => ({ unreadCount: 0 }),
  undo: (rows) => [
    { ids: idsOf(rows.filter(({ unreadCount }) => unreadCount > 0)), body: { action: 'unread' } },
  ],
}

export const unreading: Change = {
  words: t`Marked as unread`,
  body: { action: 'unread' },
  patch: ({ unreadCount }) => ({ unreadCount: Math.max(1, unreadCount) }),
  undo: (rows) => [
    { ids: idsOf(rows.filter(({ unreadCount }) => unreadCount === 0)), body: { action: 'read' } },
  ],
}

type Place = { client: QueryClient; api: WorkspaceApi }
type Results = { results: { id: string; ok: boolean; error?: { message: string } }[] }

const refresh = ({ client, api }: Place, ids: readonly string[]): void => {
  const w = api.workspaceId
  for (const id of ids) {
    patchConversation(client, w, id, { isTouched: true } as Partial<Row>)
    void client.invalidateQueries({ queryKey: keys.details(w, id) })
  }
  void client.invalidateQueries({ queryKey: keys.conversationLists(w) })
  void client.invalidateQueries({ queryKey: keys.counts(w) })
}

/** Makes the change with each row, and offers to undo it for all of them. `onUndo` is called when that is taken. */
export const changeRows = async (
  place: Place,
  rows: readonly Row[],
  { words, body, patch, undo }: Change,
  onUndo?: () => void,
): Promise<void> => {
  const { client, api } = place
  const w = api.workspaceId
  for (const row of rows) {
    noteOwnChange(row.id)
    patchConversation(client, w, row.id, patch(row))
  }
  const takeBack = (failed: readonly Row[]): void => {
    for (const row of failed) patchConversation(client, w, row.id, row)
  }
  try {
    const { results } = await api.post<Results>('/conversations/bulk', { ids: idsOf(rows), ...body })
    const refused = new Map(results.flatMap(({ id, ok, error }) => (ok ? [] : [[id, error?.message]])))
    const done = rows.filter(({ id }) => !refused.has(id))
    takeBack(rows.filter(({ id }) => refused.has(id)))
    if (refused.size > 0)
      toast(rows.length === 1 ? `${[...refused.values()][0]}` : t`${refused.size} couldn’t be changed.`, {
        tone: 'danger',
      })
    if (done.length > 0)
      toast(rows.length === 1 ? words : t`${words} · ${done.length} conversations`, {
        action: {
          label: t`Undo`,
          run: () => {
            onUndo?.()
            takeBack(done)
            void runAll(place, undo(done)).catch(toastError)
          },
        },
      })
  } catch (error) {
    takeBack(rows)
    toastError(error)
  }
  refresh(place, idsOf(rows))
}

const runAll = async (place: Place, calls: readonly Call[]): Promise<void> => {
  for (const { ids, body } of calls) {
    if (ids.length === 0) continue
    for (const id of ids) noteOwnChange(id)
    await place.api.post('/conversations/bulk', { ids, ...body })
    refresh(place, ids)
  }
}

export { UNTIL_REPLY }
