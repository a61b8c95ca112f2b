import type { NotificationSettings } from '../../state/types.ts'
import { CheckGroup } from '../../ui/check-group.tsx'

const KINDS = [
  { kind: 'assigned', label: 'Assigned to me' },
  { kind: 'mentioned', label: 'Mentions of me' },
  { kind: 'message', label: 'New messages in my conversations' },
  { kind: 'unassigned', label: 'New unassigned conversations without a team' },
  { kind: 'team', label: 'New unassigned conversations in my teams' },
  { kind: 'overdue', label: 'Overdue replies in my conversations and in unassigned ones' },
] as const

const WAYS = [
  { value: 'desktop', label: 'Desktop' },
  { value: 'sound', label: 'Sound' },
  { value: 'email', label: 'Email' },
] as const

/** What leads to which kind of notification. */
export const KindChoices = ({
  settings,
  onChange,
}: {
  settings: NotificationSettings
  onChange: (change: Partial<NotificationSettings>) => void
}) =>
  KINDS.map(({ kind, label }) => (
    <CheckGroup
      key={kind}
      label={label}
      options={WAYS}
      chosen={WAYS.map(({ value }) => value).filter((way) => settings[way][kind])}
      onChange={(chosen) =>
        onChange(
          Object.fromEntries(
            WAYS.map(({ value }) => [value, { ...settings[value], [kind]: chosen.includes(value) }]),
          ),
        )
      }
    />
  ))
