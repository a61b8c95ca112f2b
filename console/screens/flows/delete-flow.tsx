import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FlowSummary, flowsChanged } from '../../state/flows.ts'
import { useApi } from '../../state/session.tsx'
import { DeleteDialog } from '../../ui/delete-dialog.tsx'
import { t } from '../../words/t.ts'

/** Only for flows that were never published. */
const DeleteFlow = ({ flow, onClose }: { flow: Pick<FlowSummary, 'id' | 'name'>; onClose: () => void }) => {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  return (
    <DeleteDialog
      what={t`flow`}
      name={flow.name}
      about={t`This draft was never published.`}
      onClose={onClose}
      onDelete={async () => {
        await api.delete(`/flows/${flow.id}`)
        await navigate({ to: '/flows' })
        await flowsChanged(client, api.workspaceId)
      }}
    />
  )
}
export default DeleteFlow
