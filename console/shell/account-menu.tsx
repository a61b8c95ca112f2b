import { ChevronsUpDown } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useSession } from '../state/session.tsx'
import { Avatar } from '../ui/badge.tsx'
import { Menu } from '../ui/menu.tsx'
import { t } from '../words/t.ts'
import type { AccountDialog } from './account-dialogs.tsx'

const AccountItems = lazy(() => import('./account-items.tsx'))
const AccountDialogs = lazy(() => import('./account-dialogs.tsx'))

/** The current workspace, the others, and the user's own settings. */
export const AccountMenu = ({
  onHelp,
  onSignOut,
}: {
  onHelp: () => void
  onSignOut: (everywhere?: boolean) => void
}) => {
  const { session, workspace } = useSession()
  const [open, setOpen] = useState<AccountDialog | null>(null)
  return (
    <>
      <Menu
        align="start"
        label={t`Workspace and account`}
        trigger={
          <button type="button" className="rail__workspace">
            <Avatar name={workspace.name} seed={workspace.id} size="small" />
            <span className="rail__names">
              <bdi className="rail__workspace-name truncate">{workspace.name}</bdi>
              <bdi className="rail__person truncate">{session.account.nickname}</bdi>
            </span>
            <span className="hidden-visually">{t`Workspace and account`}</span>
            <ChevronsUpDown size={14} aria-hidden className="rail__chevron" />
          </button>
        }
      >
        <Suspense>
          <AccountItems {...{ onHelp, onSignOut }} onOpen={setOpen} />
        </Suspense>
      </Menu>
      <Suspense>
        {open && <AccountDialogs {...{ open, workspace, onSignOut }} onClose={() => setOpen(null)} />}
      </Suspense>
    </>
  )
}
