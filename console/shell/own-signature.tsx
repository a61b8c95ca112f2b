import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { keys } from '../state/query-keys.ts'
import { useApi } from '../state/session.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { SignatureField } from '../ui/signature-field.tsx'
import { Skeleton } from '../ui/spinner.tsx'
import { toast } from '../ui/toast.tsx'
import { t } from '../words/t.ts'

const OWN = 'own'

/** What goes below the person's emails in this workspace. */
export const OwnSignature = ({ onClose }: { onClose: () => void }) => {
  const api = useApi()
  const client = useQueryClient()
  const { data } = useQuery({
    queryKey: keys.signature(api.workspaceId, OWN),
    queryFn: ({ signal }) => api.get<{ body: string | null }>('/signature', {}, signal),
    // It may have been changed in another browser.
    staleTime: 0,
    gcTime: 0,
  })
  const save = useMutation({
    mutationFn: (body: string) => api.put('/signature', { body }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['w', api.workspaceId, 'signature'] })
      onClose()
      toast(t`Signature saved`)
    },
  })
  return (
    <FormDialog
      title={t`Email signature`}
      save={save}
      onSubmit={({ body = '' }) => save.mutate(body)}
      onClose={onClose}
    >
      {data ? (
        <SignatureField
          body={data.body ?? ''}
          hint={t`Below your emails in this workspace, instead of the mailbox’s signature.`}
        />
      ) : (
        <Skeleton lines={4} />
      )}
    </FormDialog>
  )
}
