import { useMutation, useQueryClient } from '@tanstack/react-query'
import { keys } from '../state/query-keys.ts'
import { useSession } from '../state/session.tsx'
import { TextField } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { toast } from '../ui/toast.tsx'
import { t } from '../words/t.ts'

export const EditDisplayName = ({ onClose }: { onClose: () => void }) => {
  const { api, session } = useSession()
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: (nickname: string) => api.patch('/membership', { nickname }),
    onSuccess: async () => {
      await Promise.all([
        client.invalidateQueries({ queryKey: keys.session }),
        client.invalidateQueries({ queryKey: keys.agents(api.workspaceId) }),
      ])
      onClose()
      toast(t`Display name saved`)
    },
  })
  return (
    <FormDialog
      title={t`Edit display name`}
      save={save}
      fieldOf={{ NICKNAME_TAKEN: 'nickname' }}
      onSubmit={({ nickname = '' }) => save.mutate(nickname)}
      onClose={onClose}
    >
      <TextField
        label={t`Display name`}
        name="nickname"
        defaultValue={session.account.nickname}
        hint={t`Shown to your team and to customers, in all of your workspaces.`}
        autoFocus
      />
    </FormDialog>
  )
}
