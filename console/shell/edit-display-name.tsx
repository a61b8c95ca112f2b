import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import { keys } from '../state/query-keys.ts'
import { useSession } from '../state/session.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { toast } from '../ui/toast.tsx'

const EditDisplayName = ({ onClose }: { onClose: () => void }) => {
  const { api, session } = useSession()
  const client = useQueryClient()
  const form = useId()
  const save = useMutation({
    mutationFn: (nickname: string) => api.patch('/membership', { nickname }),
    onSuccess: async () => {
      await Promise.all([
        client.invalidateQueries({ queryKey: keys.session }),
        client.invalidateQueries({ queryKey: keys.agents(api.workspaceId) }),
      ])
      onClose()
      toast('Display name saved')
    },
  })
  return (
    <Dialog
      title="Edit display name"
      isOpen
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" isBusy={save.isPending}>
            Save
          </Button>
        </>
      }
    >
      <Form
        id={form}
        error={save.error}
        fieldOf={{ NICKNAME_TAKEN: 'nickname' }}
        onSubmit={({ nickname = '' }) => save.mutate(nickname)}
      >
        <TextField
          label="Display name"
          name="nickname"
          defaultValue={session.account.nickname}
          hint="Shown to your team and to customers, in all of your workspaces."
          autoFocus
        />
      </Form>
    </Dialog>
  )
}
export default EditDisplayName
