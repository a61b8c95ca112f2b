// Who else is in a conversation, as events say.
import { useQuery } from '@tanstack/react-query'
import { keys } from '../../state/query-keys.ts'
import { useSession } from '../../state/session.tsx'
import type { Presence } from '../../state/types.ts'

/** Who else is here; those who are typing come first. */
export const useOthers = (conversationId: string): Presence[] => {
  const { api, session } = useSession()
  const { data = [] } = useQuery<Presence[]>({
    queryKey: keys.presence(api.workspaceId, conversationId),
    queryFn: () => [],
    staleTime: Number.POSITIVE_INFINITY,
    enabled: false,
  })
  return data
    .filter(({ id }) => id !== session.account.id)
    .sort((a, b) => Number(b.state === 'typing') - Number(a.state === 'typing'))
}
