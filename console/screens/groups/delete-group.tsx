import { useQueryClient } from '@tanstack/react-query'
import { groupsChanged } from '../../state/groups.ts'
import { useApi } from '../../state/session.tsx'
import type { GroupSummary } from '../../state/types.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toast.tsx'

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
      title={`Delete group “${group.name}”?`}
      about="Its members and past broadcasts are kept. This can’t be undone."
      confirmLabel="Delete group"
      isDanger
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await api.delete(`/contact-groups/${group.id}`)
        onDeleted?.()
        await groupsChanged(client, api.workspaceId)
        toast('Group deleted')
      }}
    />
  )
}
export default DeleteGroup
