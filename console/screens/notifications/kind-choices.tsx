import type { NotificationSettings } from '../../state/types.ts'
import { CheckGroup } from '../../ui/check-group.tsx'
import { t } from '../../words/t.ts'

const KINDS = [
  { kind: 'assigned', label: t`Assigned to me` },
  { kind: 'mentioned', label: t`Mentions of me` },
  { kind: 'message', label: t`New messages in my conversations` },
  { kind: 'unassigned', label: t`New unassigned conversations without a team` },
  { kind: 'team', label: t`New unassigned conversations in my teams` },
  { kind: 'overdue', label: t`Overdue replies in my conversations and in unassigned ones` },
] as const

const WAYS = [
  { value: 'desktop', label: t`Desktop` },
  { value: 'sound', label: t`Sound` },
  { value: 'email', label: t`Email` },
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
