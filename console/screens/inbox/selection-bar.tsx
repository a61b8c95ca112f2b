// What can be done with the rows that are selected. Loaded when the first is.
import { useQueryClient } from '@tanstack/react-query'
import {
  AlarmClock,
  Archive,
  ArchiveRestore,
  Flag,
  ListChecks,
  Mail,
  MailOpen,
  Tag as TagIcon,
  UserRoundPlus,
  X,
} from 'lucide-react'
import { Suspense, useState } from 'react'
import { useCommands } from '../../state/commands.ts'
import { useSession } from '../../state/session.tsx'
import type { ConversationRow as Row } from '../../state/types.ts'
import { IconButton } from '../../ui/button.tsx'
import { Popover } from '../../ui/popover.tsx'
import { rich, t } from '../../words/t.ts'
import { type Change, changeRows, closing, reading, reopening, unreading } from './bulk.ts'
import { SELECTED_MAX, setSelected } from './selection.ts'
import TriagePicker, { type PickerKind } from './triage-picker.tsx'

const PICKERS = [
  { kind: 'assign', label: t`Assign`, keys: 'a', icon: UserRoundPlus },
  { kind: 'snooze', label: t`Snooze`, keys: 'z', icon: AlarmClock },
  { kind: 'tag', label: t`Tag`, keys: 'l', icon: TagIcon },
  { kind: 'priority', label: t`Set priority`, keys: 'p', icon: Flag },
] as const

const SelectionBar = ({ rows, shown }: { rows: readonly Row[]; shown: readonly Row[] }) => {
  const { api, can } = useSession()
  const client = useQueryClient()
  const [picking, setPicking] = useState<PickerKind | null>(null)
  const isOpen = rows.some(({ status }) => status === 'open')
  const isUnread = rows.some(({ unreadCount }) => unreadCount > 0)
  const clear = (): void => setSelected([])
  const make = (change: Change): void => {
    clear()
    void changeRows({ client, api }, rows, change)
  }
  const selectAll = (): void => setSelected(shown.map(({ id }) => id))
  const pickers = PICKERS.filter(({ kind }) => kind !== 'assign' || can('assign_conversations'))
  const simple = [
    {
      id: 'status',
      label: isOpen ? t`Close` : t`Reopen`,
      keys: isOpen ? 'e' : 'shift+e',
      icon: isOpen ? Archive : ArchiveRestore,
      run: () => make(isOpen ? closing : reopening),
    },
    {
      id: 'unread',
      label: isUnread ? t`Mark as read` : t`Mark as unread`,
      keys: 'u',
      icon: isUnread ? MailOpen : Mail,
      run: () => make(isUnread ? reading : unreading),
    },
  ]
  const group = t`Selected conversations`
  useCommands([
    ...simple.map((one) => ({ ...one, id: `selected ${one.id}`, group })),
    ...pickers.map(({ kind, label, ...one }) => ({
      ...one,
      id: `selected ${kind}`,
      label: `${label}…`,
      group,
      run: () => setPicking(kind),
    })),
    { id: 'select all', label: t`Select all in the list`, group, keys: 'mod+a', run: selectAll },
    { id: 'deselect', label: t`Clear the selection`, group, keys: 'escape', run: clear, inPalette: false },
  ])
  return (
    <div className="list__selection" role="toolbar" aria-label={t`Selected conversations`}>
      <span className="grow truncate" role="status">
        {rich`${rows.length} selected`}
      </span>
      {rows.length < Math.min(shown.length, SELECTED_MAX) && (
        <IconButton icon={ListChecks} size="small" label={t`Select all in the list`} onClick={selectAll} />
      )}
      {simple.map(({ id, label, icon, keys, run }) => (
        <IconButton key={id} icon={icon} size="small" label={label} keys={keys} onClick={run} />
      ))}
      {pickers.map(({ kind, label, icon, keys }) => (
        <Popover
          key={kind}
          label={label}
          isFlush
          isOpen={picking === kind}
          onOpenChange={(open) => setPicking(open ? kind : null)}
          trigger={<IconButton icon={icon} size="small" label={label} keys={keys} />}
        >
          <Suspense>
            <TriagePicker
              kind={kind}
              rows={rows}
              onPicked={() => {
                setPicking(null)
                clear()
              }}
            />
          </Suspense>
        </Popover>
      ))}
      <IconButton icon={X} size="small" label={t`Clear the selection`} keys="escape" onClick={clear} />
    </div>
  )
}
export default SelectionBar
