import { BookOpen, FileText, Inbox, Megaphone, Settings, UserRound, UsersRound, Workflow } from 'lucide-react'
import type { Signed } from '../state/session.tsx'
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
    | '/settings'
  label: string
  icon: LucideIcon
  keys: string
  isShown: (signed: Signed) => boolean
}

const PLACES: Place[] = [
  { to: '/inbox', label: 'Inbox', icon: Inbox, keys: 'g i', isShown: () => true },
  { to: '/contacts', label: 'Contacts', icon: UserRound, keys: 'g c', isShown: () => true },
  {
    to: '/groups',
    label: 'Groups',
    icon: UsersRound,
    keys: 'g g',
    isShown: ({ can }) => can('manage_groups') || can('send_broadcasts'),
  },
  {
    to: '/broadcasts',
    label: 'Broadcasts',
    icon: Megaphone,
    keys: 'g b',
    isShown: ({ can }) => can('send_broadcasts'),
  },
  { to: '/templates', label: 'Templates', icon: FileText, keys: 'g t', isShown: () => true },
  { to: '/flows', label: 'Flows', icon: Workflow, keys: 'g f', isShown: () => true },
  {
    to: '/knowledge',
    label: 'Knowledge',
    icon: BookOpen,
    keys: 'g k',
    isShown: ({ can }) => can('manage_knowledge'),
  },
  {
    to: '/settings',
    label: 'Settings',
    icon: Settings,
    keys: 'g s',
    // Everybody has saved replies of their own.
    isShown: () => true,
  },
]

export const placesFor = (signed: Signed): Place[] => PLACES.filter(({ isShown }) => isShown(signed))
