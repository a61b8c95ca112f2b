import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { groupsChanged } from '../../state/groups.ts'
import { useApi } from '../../state/session.tsx'
import type { GroupSummary } from '../../state/types.ts'
import { TextArea, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { t } from '../../words/t.ts'

const NAME_MAX = 120
const DESCRIPTION_MAX = 500

const EditGroup = ({
  group,
  onClose,
  onSaved,
}: {
  group: GroupSummary | null
  onClose: () => void
  onSaved?: (group: GroupSummary) => void
}) => {
  const api = useApi()
  const client = useQueryClient()
  const key = useRef(crypto.randomUUID())
  const save = useMutation({
    mutationFn: (given: { name: string; description: string }) =>
      group
        ? api.patch<{ group: GroupSummary }>(`/contact-groups/${group.id}`, given)
        : api.post<{ group: GroupSummary }>('/contact-groups', given, { idempotencyKey: key.current }),
    onSuccess: async ({ group: saved }) => {
      await groupsChanged(client, api.workspaceId)
      onClose()
      onSaved?.(saved)
    },
    onError: (error) => {
      if ((error as { status?: number }).status !== 0) key.current = crypto.randomUUID()
    },
  })
  return (
    <FormDialog
      title={group ? t`Edit group` : t`New group`}
      submitLabel={group ? t`Save` : t`Create group`}
      save={save}
      onSubmit={({ name = '', description = '' }) =>
        save.mutate({ name: name.trim(), description: description.trim() })
      }
      onClose={onClose}
    >
      <TextField
        label={t`Name`}
        name="name"
        defaultValue={group?.name}
        maxLength={NAME_MAX}
        autoFocus
        autoComplete="off"
      />
      <TextArea
        label={t`Description`}
        name="description"
        rows={2}
        hint={t`Optional`}
        defaultValue={group?.description}
        maxLength={DESCRIPTION_MAX}
      />
    </FormDialog>
  )
}
export default EditGroup
