import { useNavigate } from '@tanstack/react-router'
import {
  Bell,
  ChevronsUpDown,
  CircleHelp,
  DoorOpen,
  KeyRound,
  LogOut,
  Monitor,
  Moon,
  Pencil,
  Smartphone,
  Sun,
} from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useSession } from '../state/session.tsx'
import { setTheme, useTheme } from '../state/theme.ts'
import { Avatar } from '../ui/badge.tsx'
import { Menu, MenuChoice, MenuGroup, MenuItem, MenuLine } from '../ui/menu.tsx'
import type { AccountDialog } from './account-dialogs.tsx'

const AccountDialogs = lazy(() => import('./account-dialogs.tsx'))

/** The current workspace, the others, and the user's own settings. */
export const AccountMenu = ({
  onHelp,
  onSignOut,
}: {
  onHelp: () => void
  onSignOut: (everywhere?: boolean) => void
}) => {
  const { session, workspace, switchWorkspace } = useSession()
  const theme = useTheme()
  const navigate = useNavigate()
  const [open, setOpen] = useState<AccountDialog | null>(null)
  return (
    <>
      <Menu
        align="start"
        label="Workspace and account"
        trigger={
          <button type="button" className="rail__workspace">
            <Avatar name={workspace.name} seed={workspace.id} size="small" />
            <span className="rail__names">
              <bdi className="rail__workspace-name truncate">{workspace.name}</bdi>
              <bdi className="rail__person truncate">{session.account.nickname}</bdi>
            </span>
            <span className="hidden-visually">Workspace and account</span>
            <ChevronsUpDown size={14} aria-hidden className="rail__chevron" />
          </button>
        }
      >
        <MenuGroup label={`${session.account.nickname} · ${session.account.email}`}>
          {session.workspaces.map(({ id, name, roleName }) => (
            <MenuChoice
              key={id}
              isChosen={id === workspace.id}
              hint={roleName}
              onSelect={() => id !== workspace.id && switchWorkspace(id)}
            >
              {name}
            </MenuChoice>
          ))}
        </MenuGroup>
        <MenuLine />
        <MenuGroup label="Theme">
          <MenuChoice icon={Monitor} isChosen={theme === 'system'} onSelect={() => setTheme('system')}>
            System
          </MenuChoice>
          <MenuChoice icon={Sun} isChosen={theme === 'light'} onSelect={() => setTheme('light')}>
            Light
          </MenuChoice>
          <MenuChoice icon={Moon} isChosen={theme === 'dark'} onSelect={() => setTheme('dark')}>
            Dark
          </MenuChoice>
        </MenuGroup>
        <MenuLine />
        {session.sandboxUrl && (
          <MenuItem icon={Smartphone} onSelect={() => window.open(session.sandboxUrl!, '_blank', 'noopener')}>
            Open sandbox
          </MenuItem>
        )}
        <MenuItem icon={Pencil} onSelect={() => setOpen('name')}>
          Edit display name…
        </MenuItem>
        <MenuItem icon={Pencil} onSelect={() => setOpen('signature')}>
          Email signature…
        </MenuItem>
        <MenuItem icon={Monitor} onSelect={() => setOpen('sign-ins')}>
          Your sign-ins…
        </MenuItem>
        <MenuItem icon={KeyRound} onSelect={() => setOpen('passkeys')}>
          Passkeys…
        </MenuItem>
        <MenuItem icon={Bell} onSelect={() => void navigate({ to: '/notifications' })}>
          Notifications
        </MenuItem>
        <MenuItem icon={CircleHelp} keys="?" onSelect={onHelp}>
          Keyboard shortcuts
        </MenuItem>
        <MenuItem icon={DoorOpen} onSelect={() => setOpen('leave')}>
          Leave workspace…
        </MenuItem>
        <MenuItem icon={LogOut} onSelect={() => onSignOut()}>
          Sign out
        </MenuItem>
      </Menu>
      <Suspense>
        {open && <AccountDialogs {...{ open, workspace, onSignOut }} onClose={() => setOpen(null)} />}
      </Suspense>
    </>
  )
}
