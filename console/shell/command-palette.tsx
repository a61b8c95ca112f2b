import { groupsOf, keysOf, useAllCommands } from '../state/commands.ts'
import { PaletteDialog } from '../ui/dialog.tsx'
import { Keys } from '../ui/kbd.tsx'
import { Picker } from '../ui/picker.tsx'

/** All available commands, searchable. */
const CommandPalette = ({ onClose }: { onClose: () => void }) => {
  const commands = useAllCommands().filter(({ inPalette }) => inPalette !== false)
  const groups = groupsOf(commands)
  const items = groups.flatMap((group) =>
    commands
      .filter((command) => command.group === group)
      .map((command) => {
        const { icon: Icon } = command
        const [keys] = keysOf(command)
        return {
          id: command.id,
          text: command.label,
          group,
          content: (
            <>
              {Icon ? <Icon size={16} aria-hidden /> : <span className="icon-space" aria-hidden />}
              <bdi className="truncate">{command.label}</bdi>
            </>
          ),
          hint: keys && <Keys keys={keys} />,
        }
      }),
  )
  return (
    <PaletteDialog label="Commands" isOpen onClose={onClose}>
      <Picker
        isPalette
        label="Commands"
        placeholder="What do you want to do?"
        empty="No matching commands."
        items={items}
        onPick={(id) => {
          onClose()
          const command = commands.find((other) => other.id === id)
          // Runs after the dialog has returned focus, so that a command may move it.
          setTimeout(() => command?.run())
        }}
      />
    </PaletteDialog>
  )
}
export default CommandPalette
