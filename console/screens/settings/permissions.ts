import type { Permission } from '../../state/types.ts'

/** What each permission lets its people do, as they would say it. */
export const PERMISSIONS: { id: Permission; label: string; about: string }[] = [
  {
    id: 'see_all_conversations',
    label: 'See all conversations',
    about: 'Without it, only those assigned to them, and only the contacts of those.',
  },
  {
    id: 'assign_conversations',
    label: 'Assign conversations',
    about: 'Give any conversation they see to anybody. Without it, they can only hand over their own.',
  },
  {
    id: 'manage_contacts',
    label: 'Change contacts',
    about: 'Their names, fields and tags.',
  },
  {
    id: 'manage_groups',
    label: 'Manage groups',
    about: 'Make groups and change who is in them. They see the names of all contacts there.',
  },
  {
    id: 'send_broadcasts',
    label: 'Send broadcasts',
    about: 'Write to many contacts at once with a WhatsApp template, and see who got it.',
  },
  {
    id: 'manage_tags',
    label: 'Manage tags',
    about: 'Make, rename, recolour and delete tags of the workspace.',
  },
]

export const permissionLabel = (id: Permission): string =>
  PERMISSIONS.find((permission) => permission.id === id)?.label ?? id
