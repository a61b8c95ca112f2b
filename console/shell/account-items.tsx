// What the account menu offers. Loaded when it is opened.
import { useNavigate } from '@tanstack/react-router'
import {
  Bell,
  CircleHelp,
  DoorOpen,
  KeyRound,
  Languages,
  LogOut,
  Monitor,
  Moon,
  Pencil,
  Smartphone,
  Sun,
} from 'lucide-react'
import { useSession } from '../state/session.tsx'
import { setTheme, useTheme } from '../state/theme.ts'
import { MenuChoice, MenuGroup, MenuItem, MenuLine } from '../ui/menu.tsx'
import { t } from '../words/t.ts'
import type { AccountDialog } from './account-dialogs.tsx'
import { AwayItem } from './away-item.tsx'

const AccountItems = ({
  onHelp,
  onSignOut,
  onOpen,
}: {
  onHelp: () => void
  onSignOut: () => void
  onOpen: (dialog: AccountDialog) => void
}) => {
  const { session, workspace, switchWorkspace } = useSession()
  const theme = useTheme()
  const navigate = useNavigate()
  return (
    <>
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
      <MenuGroup label={t`Theme`}>
        <MenuChoice icon={Monitor} isChosen={theme === 'system'} onSelect={() => setTheme('system')}>
          {t`System`}
        </MenuChoice>
        <MenuChoice icon={Sun} isChosen={theme === 'light'} onSelect={() => setTheme('light')}>
          {t`Light`}
        </MenuChoice>
        <MenuChoice icon={Moon} isChosen={theme === 'dark'} onSelect={() => setTheme('dark')}>
          {t`Dark`}
        </MenuChoice>
      </MenuGroup>
      <MenuLine />
      {session.sandboxUrl && (
        <MenuItem icon={Smartphone} onSelect={() => window.open(session.sandboxUrl!, '_blank', 'noopener')}>
          {t`Open sandbox`}
        </MenuItem>
      )}
      <AwayItem />
      <MenuItem icon={Pencil} onSelect={() => onOpen('name')}>
        {t`Edit display name…`}
      </MenuItem>
      <MenuItem icon={Pencil} onSelect={() => onOpen('signature')}>
        {t`Email signature…`}
      </MenuItem>
      <MenuItem icon={Languages} onSelect={() => onOpen('language')}>
        {t`Language…`}
      </MenuItem>
      <MenuItem icon={Monitor} onSelect={() => onOpen('sign-ins')}>
        {t`Your sign-ins…`}
      </MenuItem>
      <MenuItem icon={KeyRound} onSelect={() => onOpen('passkeys')}>
        {t`Passkeys…`}
      </MenuItem>
      <MenuItem icon={Bell} onSelect={() => void navigate({ to: '/notifications' })}>
        {t`Notifications`}
      </MenuItem>
      <MenuItem icon={CircleHelp} keys="?" onSelect={onHelp}>
        {t`Keyboard shortcuts`}
      </MenuItem>
      <MenuItem icon={DoorOpen} onSelect={() => onOpen('leave')}>
        {t`Leave workspace…`}
      </MenuItem>
      <MenuItem icon={LogOut} onSelect={() => onSignOut()}>
        {t`Sign out`}
      </MenuItem>
    </>
  )
}
export default AccountItems
