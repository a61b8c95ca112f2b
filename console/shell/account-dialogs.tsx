// What the account menu opens, loaded with the first of them.
import type { Workspace } from '../state/types.ts'
import { ChooseLanguage } from './choose-language.tsx'
import { EditDisplayName } from './edit-display-name.tsx'
import { LeaveWorkspace } from './leave-workspace.tsx'
import { OwnPasskeys } from './own-passkeys.tsx'
import { OwnSignIns } from './own-sign-ins.tsx'
import { OwnSignature } from './own-signature.tsx'

export type AccountDialog = 'name' | 'signature' | 'language' | 'passkeys' | 'sign-ins' | 'leave'

const AccountDialogs = ({
  open,
  workspace,
  onSignOut,
  onClose,
}: {
  open: AccountDialog
  workspace: Workspace
  /** For the passkeys and the sign-ins. */
  onSignOut?: (everywhere: boolean) => void
  onClose: () => void
}) => {
  if (open === 'name') return <EditDisplayName onClose={onClose} />
  if (open === 'signature') return <OwnSignature onClose={onClose} />
  if (open === 'language') return <ChooseLanguage onClose={onClose} />
  if (open === 'passkeys') return <OwnPasskeys onSignInAgain={() => onSignOut?.(false)} onClose={onClose} />
  if (open === 'sign-ins')
    return <OwnSignIns onSignOutEverywhere={() => onSignOut?.(true)} onClose={onClose} />
  return <LeaveWorkspace workspace={workspace} onClose={onClose} />
}
export default AccountDialogs
