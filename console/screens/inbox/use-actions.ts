// Actions on a whole conversation. Each is shown at once and rolled back if the server refuses it.
import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { patchConversation, refreshConversation } from '../../state/conversations.ts'
import { useSession } from '../../state/session.tsx'
import type { Agent, ConversationRow } from '../../state/types.ts'
import { toast, toastError } from '../../ui/toast.tsx'
import { noteOwnChange } from './held-order.ts'

export const useActions = (conversation: ConversationRow | undefined) => {
  const { api } = useSession()
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

    return {
      markUnread: () =>
        run({ unreadCount: Math.max(unreadCount, 1) }, { unreadCount }, () =>
          api.post(`/conversations/${id}/unread`),
        ),
      close: async () => {
        if (await setStatus('closed'))
          toast('Closed', { action: { label: 'Undo', run: () => void setStatus('open') } })
      },
      reopen: () => setStatus('open'),
      assign: (agent: Pick<Agent, 'id' | 'nickname' | 'role'>) =>
        run(
          {
            assignment: {
              agentId: agent.id,
              agentNickname: agent.nickname,
              isAi: agent.role === 'ai',
              assignedAt: new Date().toISOString(),
            },
          },
          { assignment },
          () => api.post(`/conversations/${id}/assign`, { agentId: agent.role === 'ai' ? 'ai' : agent.id }),
        ),
      unassign: () =>
        run({ assignment: null }, { assignment }, () => api.post(`/conversations/${id}/unassign`)),
    }
  }, [conversation, api, client])
}
export type Actions = NonNullable<ReturnType<typeof useActions>>
