import type { Permission } from '../../state/types.ts'
import { t } from '../../words/t.ts'

/** Each permission with a label and description for people. */
export const PERMISSIONS: { id: Permission; label: string; about: string }[] = [
  {
    id: 'see_all_conversations',
    label: t`See all conversations`,
    about: t`Otherwise, only conversations assigned to them and those contacts.`,
  },
  {
    id: 'assign_conversations',
    label: t`Assign conversations`,
    about: t`Assign any conversation they can see. Otherwise, only reassign their own.`,
  },
  {
    id: 'manage_contacts',
    label: t`Edit contacts`,
    about: t`Names, fields and tags.`,
  },
  {
    id: 'manage_groups',
    label: t`Manage groups`,
    about: t`Create groups and change their members. Shows the names of all contacts.`,
  },
  {
    id: 'send_broadcasts',
    label: t`Send broadcasts`,
    about: t`Send WhatsApp templates to many contacts and see who received them.`,
  },
  {
    id: 'manage_tags',
    label: t`Manage tags`,
    about: t`Create, rename, recolor and delete tags.`,
  },
  {
    id: 'manage_automation',
    label: t`Manage automation`,
    about: t`Create, change and publish flows, and see all their runs.`,
  },
  {
    id: 'manage_knowledge',
    label: t`Manage knowledge`,
    about: t`Write, publish and delete articles, saved answers and the team’s saved replies.`,
  },
  {
    id: 'see_reports',
    label: t`See reports`,
    about: t`Figures of the whole workspace and of each person. Opens only conversations they can see.`,
  },
]

export const permissionLabel = (id: Permission): string =>
  PERMISSIONS.find((permission) => permission.id === id)?.label ?? id
