import {
  BookOpen,
  ChartColumn,
  FileText,
  Inbox,
  Megaphone,
  Settings,
  UserRound,
  UsersRound,
  Workflow,
} from 'lucide-react'
import type { Signed } from '../state/session.tsx'
import type { Permission } from '../state/types.ts'
import type { LucideIcon } from '../ui/icons.ts'
import { t } from '../words/t.ts'

export type Place = {
  to:
    | '/inbox'
    | '/contacts'
    | '/groups'
    | '/broadcasts'
    | '/templates'
    | '/flows'
    | '/knowledge'
    | '/reports'
    | '/settings'
  label: string
  icon: LucideIcon
  keys: string
  /** One of these is enough; none: for everyone. */
  needs: Permission[]
}

/** Each is opened with g and a letter. */
const place = (
  to: Place['to'],
  label: string,
  icon: LucideIcon,
  key: string,
  ...needs: Permission[]
): Place => ({
  to,
  label,
  icon,
  keys: `g ${key}`,
  needs,
})

const PLACES = [
  place('/inbox', t`Inbox`, Inbox, 'i'),
  place('/contacts', t`Contacts`, UserRound, 'c'),
  place('/groups', t`Groups`, UsersRound, 'g', 'manage_groups', 'send_broadcasts'),
  place('/broadcasts', t`Broadcasts`, Megaphone, 'b', 'send_broadcasts'),
  place('/templates', t`Templates`, FileText, 't'),
  place('/flows', t`Flows`, Workflow, 'f'),
  place('/knowledge', t`Knowledge`, BookOpen, 'k', 'manage_knowledge'),
  place('/reports', t`Reports`, ChartColumn, 'r', 'see_reports'),
  // Everybody has saved replies of their own.
  place('/settings', t`Settings`, Settings, 's'),
]

export const placesFor = ({ can }: Signed): Place[] =>
  PLACES.filter(({ needs }) => needs.length === 0 || needs.some(can))
