import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useRef } from 'react'
import { useApi } from '../../state/session.tsx'
import type { GroupSummary } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextArea, TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { groupsChanged } from './groups-state.ts'

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
  const form = useId()
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
    <Dialog
      title={group ? 'Edit group' : 'New group'}
      isOpen
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" isBusy={save.isPending}>
            {group ? 'Save' : 'Create group'}
          </Button>
        </>
      }
    >
      <Form
        id={form}
        error={save.error}
        onSubmit={({ name = '', description = '' }) =>
          save.mutate({ name: name.trim(), description: description.trim() })
        }
      >
        <TextField
          label="Name"
          name="name"
          defaultValue={group?.name}
          maxLength={NAME_MAX}
          autoFocus
          autoComplete="off"
        />
        <TextArea
          label="Description"
          name="description"
          rows={2}
          hint="Optional"
          defaultValue={group?.description}
          maxLength={DESCRIPTION_MAX}
        />
      </Form>
    </Dialog>
  )
}
export default EditGroup
