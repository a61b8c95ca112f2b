// Actions on a whole conversation. Each is shown at once and rolled back if the server refuses it.
import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { patchConversation, refreshConversation } from '../../state/conversations.ts'
import { useSession } from '../../state/session.tsx'
import type { Agent, ConversationRow } from '../../state/types.ts'
import { toast, toastError } from '../../ui/toast.tsx'
import { noteOwnChange } from './held-order.ts'

/** What follows when the person is done with a conversation, and when they take that back. */
export type Aftermath = {
  onDone: (how: 'closed' | 'assigned' | 'unassigned') => void
  onReturn: (conversationId: string) => void
}

type Assignee = Omit<NonNullable<ConversationRow['assignment']>, 'assignedAt'>

export const useActions = (conversation: ConversationRow | undefined, { onDone, onReturn }: Aftermath) => {
  const { api, session } = useSession()
  const client = useQueryClient()
  return useMemo(() => {
    if (!conversation) return null
    const { id, status, assignment, unreadCount } = conversation
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
    const setStatus = (next: 'open' | 'closed') =>
      run({ status: next }, { status }, () =>
        api.post(`/conversations/${id}/${next === 'open' ? 'reopen' : 'close'}`),
      )

    const assignTo = (to: Assignee | null) =>
      run({ assignment: to && { ...to, assignedAt: new Date().toISOString() } }, { assignment }, () =>
        to
          ? api.post(`/conversations/${id}/assign`, { agentId: to.isAi ? 'ai' : to.agentId })
          : api.post(`/conversations/${id}/unassign`),
      )
    const toastWithUndo = (text: string, undo: () => Promise<unknown>): void =>
      toast(text, {
        action: {
          label: 'Undo',
          run: () => {
            onReturn(id)
            void undo()
          },
        },
      })

    return {
      markUnread: () =>
        run({ unreadCount: Math.max(unreadCount, 1) }, { unreadCount }, () =>
          api.post(`/conversations/${id}/unread`),
        ),
      close: async () => {
        const work = setStatus('closed')
        onDone('closed')
        if (await work) toastWithUndo('Closed', () => setStatus('open'))
      },
      reopen: () => setStatus('open'),
      assign: async ({ id: agentId, nickname, role }: Pick<Agent, 'id' | 'nickname' | 'role'>) => {
        const work = assignTo({ agentId, agentNickname: nickname, isAi: role === 'ai' })
        if (agentId === session.account.id) return
        onDone('assigned')
        if (await work) toastWithUndo(`Assigned to ${nickname}`, () => assignTo(assignment))
      },
      unassign: async () => {
        const work = assignTo(null)
        onDone('unassigned')
        if (await work) toastWithUndo('Unassigned', () => assignTo(assignment))
      },
    }
  }, [conversation, api, client, session, onDone, onReturn])
}
export type Actions = NonNullable<ReturnType<typeof useActions>>
