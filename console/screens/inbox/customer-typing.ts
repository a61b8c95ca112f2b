import { useQuery } from '@tanstack/react-query'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'

/** Whether the customer is typing, on channels that report it. */
export const useCustomerTyping = (conversationId: string): boolean => {
  const { workspaceId } = useApi()
  const { data = false } = useQuery<boolean>({
    queryKey: keys.typing(workspaceId, conversationId),
    queryFn: () => false,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: false,
  })
  return data
}
