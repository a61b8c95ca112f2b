// The settings pages. Pages that a person may not use are not linked, and their URL says so.
import { Navigate, Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import {
  Archive,
  Bot,
  Building2,
  Clock,
  KeyRound,
  Lock,
  MessageSquareText,
  Plug,
  Radio,
  ScrollText,
  ShieldCheck,
  Tags,
  Users,
  UsersRound,
  Webhook,
} from 'lucide-react'
import { useCommands } from '../../state/commands.ts'
import { type Signed, useSession } from '../../state/session.tsx'
import type { Permission } from '../../state/types.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import type { LucideIcon } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { SidePages } from '../../ui/side-pages.tsx'
import { t } from '../../words/t.ts'

type SettingsPath =
  | '/settings/workspace'
  | '/settings/members'
  | '/settings/roles'
  | '/settings/teams'
  | '/settings/tokens'
  | '/settings/webhooks'
  | '/settings/audit-log'
  | '/settings/export'
  | '/settings/tags'
  | '/settings/saved-replies'
  | '/settings/channels'
  | '/settings/business-hours'
  | '/settings/actions'
  | '/settings/ai-agent'

type SettingsEntry = {
  to: SettingsPath
  label: string
  icon: LucideIcon
  permission?: Permission
  isForAll?: boolean
}
const PAGES: SettingsEntry[] = [
  { to: '/settings/workspace', label: t`Workspace`, icon: Building2 },
  { to: '/settings/members', label: t`Members`, icon: UsersRound },
  { to: '/settings/roles', label: t`Roles`, icon: ShieldCheck },
  { to: '/settings/teams', label: t`Teams`, icon: Users },
  { to: '/settings/channels', label: t`Channels`, icon: Radio },
  // With a permission: also for people who may only do that.
  { to: '/settings/tags', label: t`Tags`, icon: Tags, permission: 'manage_tags' },
  { to: '/settings/saved-replies', label: t`Saved replies`, icon: MessageSquareText, isForAll: true },
  {
    to: '/settings/business-hours',
    label: t`Business hours`,
    icon: Clock,
    permission: 'manage_automation',
  },
  { to: '/settings/actions', label: t`Actions`, icon: Plug },
  { to: '/settings/tokens', label: t`API tokens`, icon: KeyRound },
  { to: '/settings/webhooks', label: t`Webhooks`, icon: Webhook },
  { to: '/settings/audit-log', label: t`Audit log`, icon: ScrollText },
  { to: '/settings/export', label: t`Export`, icon: Archive },
  { to: '/settings/ai-agent', label: t`AI agent`, icon: Bot, permission: 'manage_automation' },
]

const pagesFor = ({ isAdmin, can }: Signed) =>
  PAGES.filter(({ permission, isForAll }) => isAdmin || isForAll || (permission && can(permission)))

export const Settings = () => {
  const pages = pagesFor(useSession())
  const { pathname } = useLocation()
  const navigate = useNavigate()
  useCommands(
    pages.map(({ to, label, icon }) => ({
      id: `settings ${to}`,
      label: t`Settings: ${label}`,
      group: t`Settings`,
      icon,
      run: () => void navigate({ to }),
    })),
  )
  const mayOpen = pathname === '/settings' || pages.some(({ to }) => pathname.startsWith(to))
  return (
    <Page title={t`Settings`}>
      {mayOpen && pages.length > 0 ? (
        <SidePages
          label={t`Settings`}
          current={pathname}
          pages={pages.map(({ to, label, icon }) => ({ label, icon, link: { to } }))}
        >
          <Outlet />
        </SidePages>
      ) : (
        <EmptyState icon={Lock} title={t`Only admins can change this`}>
          {t`Ask an admin to change it or to make you an admin.`}
        </EmptyState>
      )}
    </Page>
  )
}

/** Opens the first page that the person may use. */
export const SettingsStart = () => {
  const [first] = pagesFor(useSession())
  return first ? <Navigate to={first.to} replace /> : null
}
