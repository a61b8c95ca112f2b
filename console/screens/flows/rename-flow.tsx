import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FlowSummary, flowsChanged } from '../../state/flows.ts'
import { useApi } from '../../state/session.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { t } from '../../words/t.ts'

const RenameFlow = ({ flow, onClose }: { flow: Pick<FlowSummary, 'id' | 'name'>; onClose: () => void }) => {
  const api = useApi()
  const client = useQueryClient()
  const rename = useMutation({
    mutationFn: (name: string) => api.patch(`/flows/${flow.id}`, { name }),
    onSuccess: async () => {
      await flowsChanged(client, api.workspaceId)
      onClose()
    },
  })
  return (
    <FormDialog
      title={t`Rename flow`}
      save={rename}
      onClose={onClose}
      onSubmit={({ name = '' }) => rename.mutate(name)}
    >
      <TextField label={t`Name`} name="name" defaultValue={flow.name} maxLength={120} autoFocus />
    </FormDialog>
  )
}
export default RenameFlow
