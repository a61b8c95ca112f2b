import { useQueryClient } from '@tanstack/react-query'
import { useApi } from '../../state/session.tsx'
import type { GroupSummary } from '../../state/types.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import { groupsChanged } from './groups-state.ts'

const DeleteGroup = ({
  group,
  onClose,
  onDeleted,
}: {
  group: GroupSummary
  onClose: () => void
  onDeleted?: () => void
}) => {
  const api = useApi()
  const client = useQueryClient()
  return (
    <ConfirmDialog
      title={`Delete the group “${group.name}”?`}
      about="Its people stay contacts, and broadcasts that went to it stay as they are. This cannot be undone."
      confirmLabel="Delete the group"
      isDanger
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await api.delete(`/contact-groups/${group.id}`)
        onDeleted?.()
        await groupsChanged(client, api.workspaceId)
        toast('The group was deleted')
      }}
    />
  )
}
export default DeleteGroup
