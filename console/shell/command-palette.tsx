// One search over commands, people and conversations.
import { useNavigate, useParams } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { type Command, groupsOf, keysOf, useAllCommands } from '../state/commands.ts'
import type { View } from '../state/conversations.ts'
import { PaletteDialog } from '../ui/dialog.tsx'
import { Keys } from '../ui/kbd.tsx'
import { filterItems, Picker } from '../ui/picker.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { t } from '../words/t.ts'
import { type PaletteItem, usePaletteResults } from './palette-results.tsx'

const WAIT_MS = 150
/** With something typed, people and conversations follow. */
const COMMANDS_MAX = 5
const SEARCH = 'search'

const commandItem = (command: Command, group: string): PaletteItem => {
  const { icon: Icon, id, label } = command
  const [keys] = keysOf(command)
  return {
    id: `command ${id}`,
    text: label,
    group,
    content: (
      <>
        {Icon ? <Icon size={16} aria-hidden /> : <span className="icon-space" aria-hidden />}
        <bdi className="truncate">{label}</bdi>
      </>
    ),
    hint: keys && <Keys keys={keys} />,
  }
}

/** Opens what was picked. The inbox's list stays as it is when a conversation is opened. */
const useOpen = () => {
  const navigate = useNavigate()
  const { view } = useParams({ strict: false }) as { view?: View }
  return ({ person, found }: PaletteItem, q: string): void => {
    if (person) void navigate({ to: '/contacts/$contactId', params: { contactId: person.id } })
    else if (found) {
      const at = found.match?.entryId ?? undefined
      const spot = { find: at && q, at }
      void navigate({
        to: '/inbox/$view/$conversationId',
        params: { view: view ?? 'all', conversationId: found.conversation.id },
        search: (known) => (view ? { ...known, ...spot } : spot),
      })
    } else void navigate({ to: '/inbox/$view', params: { view: 'all' }, search: { q } })
  }
}

const CommandPalette = ({ onClose }: { onClose: () => void }) => {
  const [text, setText] = useState('')
  const [q, setQ] = useState('')
  const typed = text.trim()
  useEffect(() => {
    const timer = setTimeout(() => setQ(typed), WAIT_MS)
    return () => clearTimeout(timer)
  }, [typed])
  // What was found for other words must not be opened by Enter.
  const { items: found, isFetching, error } = usePaletteResults(typed.startsWith(q) ? q : '')
  const open = useOpen()
  const commands = useAllCommands().filter(({ inPalette }) => inPalette !== false)
  const sorted = groupsOf(commands).flatMap((group) =>
    commands
      .filter((command) => command.group === group)
      .map((command) => commandItem(command, typed ? t`Commands` : group)),
  )
  const searching: PaletteItem = {
    id: SEARCH,
    text: typed,
    group: t`Conversations`,
    content: (
      <>
        <Search size={16} aria-hidden />
        <bdi className="truncate">{t`Search all conversations for “${typed}”`}</bdi>
      </>
    ),
    hint: error ? error.message : (isFetching || q !== typed) && <Spinner />,
  }
  const items = typed ? [...filterItems(sorted, typed).slice(0, COMMANDS_MAX), ...found, searching] : sorted
  return (
    <PaletteDialog label={t`Search`} isOpen onClose={onClose}>
      <Picker
        isPalette
        label={t`Search`}
        placeholder={t`Search people and conversations, or run a command`}
        empty={t`No matching commands.`}
        items={items}
        onSearch={setText}
        onPick={(id) => {
          onClose()
          const item = items.find((other) => other.id === id)
          const command = commands.find((other) => `command ${other.id}` === id)
          // After the dialog has returned focus, so that what is opened may move it.
          setTimeout(() => (command ? command.run() : item && open(item, typed)))
        }}
      />
    </PaletteDialog>
  )
}
export default CommandPalette
