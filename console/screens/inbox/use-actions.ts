// Actions on a whole conversation. Each is shown at once and rolled back if the server refuses it.
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { WorkspaceApi } from '../../state/api.ts'
import { patchConversation, refreshConversation } from '../../state/conversations.ts'
import { useSession } from '../../state/session.tsx'
import type { Agent, ConversationRow } from '../../state/types.ts'
import { toast, toastError } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import type { Afterwards } from './drafts.ts'
import { noteOwnChange } from './held-order.ts'
import { toFollow } from './outbox.ts'

/** What follows when the person is done with a conversation, and when they take that back. */
export type Aftermath = {
  onDone: (how: 'closed' | 'assigned' | 'unassigned' | 'snoozed') => void
  onReturn: (conversationId: string) => void
}

type Assignee = Omit<NonNullable<ConversationRow['assignment']>, 'assignedAt'>

const assignedTo = (to: Assignee) => ({ ...to, assignedAt: new Date().toISOString() })

type Place = { api: WorkspaceApi; client: QueryClient; conversation: ConversationRow }

/** Single changes; each resolves to whether the server took it. */
const makeChanges = ({ api, client, conversation }: Place) => {
  const { id, status, assignment } = conversation
  const w = api.workspaceId

  const run = async (
    change: Partial<ConversationRow>,
    undo: Partial<ConversationRow>,
    call: () => Promise<unknown>,
  ): Promise<boolean> => {
    noteOwnChange(id)
    patchConversation(client, w, id, change)
    try {
      await call()
      return true
    } catch (error) {
      patchConversation(client, w, id, undo)
      toastError(error)
      return false
    } finally {
      refreshConversation(client, w, id)
    }
  }
  return {
    run,
    setStatus: (next: 'open' | 'closed') =>
      run({ status: next }, { status }, () =>
        api.post(`/conversations/${id}/${next === 'open' ? 'reopen' : 'close'}`),
      ),
    assignTo: (to: Assignee | null) =>
      run({ assignment: to && assignedTo(to) }, { assignment }, () =>
        to
          ? api.post(`/conversations/${id}/assign`, { agentId: to.isAi ? 'ai' : to.agentId })
          : api.post(`/conversations/${id}/unassign`),
      ),
  }
}
type Changes = ReturnType<typeof makeChanges>

/** What a saved reply without a text does; how to take it back, or null if it was refused. */
const followUp = async (
  { api, conversation: { id, status, assignment, contact } }: Place,
  { run, setStatus, assignTo }: Changes,
  after: Afterwards,
): Promise<(() => Promise<void>) | null> => {
  const { assignee, closes } = after
  let added: string[] = []
  const change: Partial<ConversationRow> = {
    ...(closes && { status: 'closed' }),
    ...(assignee && {
      assignment: assignedTo({ agentId: assignee.id, agentNickname: assignee.nickname, isAi: false }),
    }),
  }
  const isDone = await run(change, { status, assignment }, async () => {
    const answer = await api.post<{ tagIdsAdded: string[] }>(
      `/conversations/${id}/follow-up`,
      toFollow(after),
    )
    added = answer.tagIdsAdded
  })
  if (!isDone) return null
  return async () => {
    if (added.length > 0) await api.post(`/contacts/${contact.id}/tags`, { remove: added }).catch(toastError)
    if (closes && status === 'open') await setStatus('open')
    if (assignee && assignee.id !== assignment?.agentId) await assignTo(assignment)
  }
}

const wordsOf = ({ tags, assignee, closes }: Afterwards): string =>
  closes ? t`Closed` : assignee ? t`Assigned to ${assignee.nickname}` : tags.length > 0 ? t`Tagged` : t`Done`

export const useActions = (conversation: ConversationRow | undefined, { onDone, onReturn }: Aftermath) => {
  const { api, session } = useSession()
  const client = useQueryClient()
  return useMemo(() => {
    if (!conversation) return null
    const { id, assignment, unreadCount } = conversation
    const place = { api, client, conversation }
    const changes = makeChanges(place)
    const { run, setStatus, assignTo } = changes

    const toastWithUndo = (text: string, undo: () => Promise<unknown>): void =>
      toast(text, {
        action: {
          label: t`Undo`,
          run: () => {
            onReturn(id)
            void undo()
          },
        },
      })
    /** Goes on from a conversation that is, or once a reply is sent will be, closed or handed over. */
    const leaveAfter = ({ closes, assignee }: Pick<Afterwards, 'closes' | 'assignee'>): void => {
      noteOwnChange(id)
      if (closes) onDone('closed')
      else if (assignee && assignee.id !== session.account.id) onDone('assigned')
    }

    return {
      leaveAfter,
      /** What follows a change that was made elsewhere. */
      goOn: onDone,
      comeBack: () => onReturn(id),
      followUp: async (after: Afterwards) => {
        const work = followUp(place, changes, after)
        leaveAfter(after)
        const undo = await work
        if (undo) toastWithUndo(wordsOf(after), undo)
      },
      markUnread: () =>
        run({ unreadCount: Math.max(unreadCount, 1) }, { unreadCount }, () =>
          api.post(`/conversations/${id}/unread`),
        ),
      close: async () => {
        const work = setStatus('closed')
        onDone('closed')
        if (await work) toastWithUndo(t`Closed`, () => setStatus('open'))
      },
      reopen: () => setStatus('open'),
      assign: async ({ id: agentId, nickname, role }: Pick<Agent, 'id' | 'nickname' | 'role'>) => {
        const work = assignTo({ agentId, agentNickname: nickname, isAi: role === 'ai' })
        if (agentId === session.account.id) return
        onDone('assigned')
        if (await work) toastWithUndo(t`Assigned to ${nickname}`, () => assignTo(assignment))
      },
      unassign: async () => {
        const work = assignTo(null)
        onDone('unassigned')
        if (await work) toastWithUndo(t`Unassigned`, () => assignTo(assignment))
      },
    }
  }, [conversation, api, client, session, onDone, onReturn])
}
export type Actions = NonNullable<ReturnType<typeof useActions>>
