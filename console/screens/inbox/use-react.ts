import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useApi } from '../../state/session.tsx'
import { putMessage } from '../../state/timeline.ts'
import type { Message } from '../../state/types.ts'
import { toastError } from '../../ui/toast.tsx'

/** Reacts to a customer's message in place of what is there, or takes that away. */
export const useReact = ({ id }: Message) => {
  const api = useApi()
  const client = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: (emoji: string | null) =>
      api.put<{ message: Message }>(`/messages/${id}/reaction`, { emoji }),
    onSuccess: ({ message }) => putMessage(client, api.workspaceId, message),
    onError: toastError,
  })
  return { react: (emoji: string | null): void => mutate(emoji), isBusy: isPending }
}
