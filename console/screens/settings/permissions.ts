import type { Permission } from '../../state/types.ts'

/** Each permission with a label and description for people. */
export const PERMISSIONS: { id: Permission; label: string; about: string }[] = [
  {
    id: 'see_all_conversations',
    label: 'See all conversations',
    about: 'Otherwise, only conversations assigned to them and those contacts.',
  },
  {
    id: 'assign_conversations',
    label: 'Assign conversations',
    about: 'Assign any conversation they can see. Otherwise, only reassign their own.',
  },
  {
    id: 'manage_contacts',
    label: 'Edit contacts',
    about: 'Names, fields and tags.',
  },
  {
    id: 'manage_groups',
    label: 'Manage groups',
    about: 'Create groups and change their members. Shows the names of all contacts.',
  },
  {
    id: 'send_broadcasts',
    label: 'Send broadcasts',
    about: 'Send WhatsApp templates to many contacts and see who received them.',
  },
  {
    id: 'manage_tags',
    label: 'Manage tags',
    about: 'Create, rename, recolor and delete tags.',
  },
  {
    id: 'manage_automation',
    label: 'Manage automation',
    about: 'Create, change and publish flows, and see all their runs.',
  },
  {
    id: 'manage_knowledge',
    label: 'Manage knowledge',
    about: 'Write, publish and delete articles, saved answers and the team’s saved replies.',
  },
  {
    id: 'see_reports',
    label: 'See reports',
    about: 'Figures of the whole workspace and of each person. Opens only conversations they can see.',
  },
]

export const permissionLabel = (id: Permission): string =>
  PERMISSIONS.find((permission) => permission.id === id)?.label ?? id
