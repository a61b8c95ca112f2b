import { useMutation, useQueryClient } from '@tanstack/react-query'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'

export const useUndoMerge = () => {
  const api = useApi()
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ contactId, id }: { contactId: string; id: string }) =>
      api.post<{ contactId: string }>(`/contacts/${contactId}/merges/${id}/undo`),
    onSuccess: async () => {
      toast(t`Merge undone: these are two contacts again`)
      await client.invalidateQueries({ queryKey: keys.workspace(api.workspaceId) })
    },
    onError: toastError,
  })
}
