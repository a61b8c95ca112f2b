import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiError } from '../../state/api.ts'
import { useApi } from '../../state/session.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/lazy-dialogs.ts'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'

/** Renames a folder of saved replies. One of the same name takes its replies; without a name, they are in none. */
const EditFolder = ({
  folder,
  isShared,
  onChanged,
  onClose,
}: {
  folder: string
  isShared: boolean
  onChanged: () => Promise<void>
  onClose: () => void
}) => {
  const api = useApi()
  const [name, setName] = useState(folder)
  const save = useMutation<unknown, ApiError>({
    mutationFn: () =>
      api.put(`/saved-reply-folders/${isShared ? 'shared' : 'own'}`, {
        from: folder,
        to: name.trim() || null,
      }),
    onSuccess: async () => {
      await onChanged()
      toast(t`Saved`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={t`Rename folder`}
      submitLabel={t`Save`}
      save={save}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <TextField
        label={t`Name`}
        name="to"
        hint={t`If another folder has this name, the replies move there. Leave empty to remove the folder and keep its replies.`}
        value={name}
        maxLength={60}
        autoFocus
        onChange={({ target }) => setName(target.value)}
      />
    </FormDialog>
  )
}

export default EditFolder
