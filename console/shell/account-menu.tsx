import { ChevronsUpDown, CircleHelp, LogOut, Monitor, Moon, Smartphone, Sun } from 'lucide-react'
import { useSession } from '../state/session.tsx'
import { setTheme, useTheme } from '../state/theme.ts'
import { Avatar } from '../ui/badge.tsx'
import { Menu, MenuChoice, MenuGroup, MenuItem, MenuLine } from '../ui/menu.tsx'

/** Which workspace this is, the others, and what belongs to the person. */
export const AccountMenu = ({
  onHelp,
  onSignOut,
}: {
  onHelp: () => void
  onSignOut: (everywhere?: boolean) => void
}) => {
  const { session, workspace, switchWorkspace } = useSession()
  const theme = useTheme()
  return (
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
          As the system
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
          Open the sandbox
        </MenuItem>
      )}
      <MenuItem icon={CircleHelp} keys="?" onSelect={onHelp}>
        Keyboard shortcuts
      </MenuItem>
      <MenuItem icon={LogOut} onSelect={() => onSignOut()}>
        Sign out
      </MenuItem>
      <MenuItem icon={LogOut} onSelect={() => onSignOut(true)}>
        Sign out everywhere
      </MenuItem>
    </Menu>
  )
}
