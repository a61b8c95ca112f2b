import { workspaceApi } from '../state/api.ts'
import type { Workspace } from '../state/types.ts'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { t } from '../words/t.ts'

export const LeaveWorkspace = ({ workspace, onClose }: { workspace: Workspace; onClose: () => void }) => (
  <ConfirmDialog
    title={t`Leave ${workspace.name}?`}
    about={t`You’ll lose access, and conversations assigned to you will become unassigned. An admin can add you again.`}
    confirmLabel={t`Leave workspace`}
    isDanger
    isOpen
    onClose={onClose}
    onConfirm={async () => {
      await workspaceApi(workspace.id).delete('/membership')
      // Any cached data may belong to the workspace that was left.
      location.assign('/inbox')
    }}
  />
)
