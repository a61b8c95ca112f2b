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

/** Each is called what its path says, and opened with g and a letter. */
const place = (to: Place['to'], icon: LucideIcon, key: string, ...needs: Permission[]): Place => ({
  to,
  label: to[1]!.toUpperCase() + to.slice(2),
  icon,
  keys: `g ${key}`,
  needs,
})

const PLACES = [
  place('/inbox', Inbox, 'i'),
  place('/contacts', UserRound, 'c'),
  place('/groups', UsersRound, 'g', 'manage_groups', 'send_broadcasts'),
  place('/broadcasts', Megaphone, 'b', 'send_broadcasts'),
  place('/templates', FileText, 't'),
  place('/flows', Workflow, 'f'),
  place('/knowledge', BookOpen, 'k', 'manage_knowledge'),
  place('/reports', ChartColumn, 'r', 'see_reports'),
  // Everybody has saved replies of their own.
  place('/settings', Settings, 's'),
]

export const placesFor = ({ can }: Signed): Place[] =>
  PLACES.filter(({ needs }) => needs.length === 0 || needs.some(can))
