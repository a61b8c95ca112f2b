import { useQueryClient } from '@tanstack/react-query'
import { groupsChanged } from '../../state/groups.ts'
import { useApi } from '../../state/session.tsx'
import type { GroupSummary } from '../../state/types.ts'
import { DeleteDialog } from '../../ui/delete-dialog.tsx'
import { t } from '../../words/t.ts'

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
    <DeleteDialog
      what={t`group`}
      name={group.name}
      about={t`Its members and past broadcasts are kept.`}
      onClose={onClose}
      onDelete={async () => {
        await api.delete(`/contact-groups/${group.id}`)
        onDeleted?.()
        await groupsChanged(client, api.workspaceId)
      }}
    />
  )
}
export default DeleteGroup
