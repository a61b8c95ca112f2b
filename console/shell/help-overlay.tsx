import { groupsOf, keysOf, useAllCommands } from '../state/commands.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Keys } from '../ui/kbd.tsx'
import { t } from '../words/t.ts'

/** The keyboard shortcuts available now, from the registry that runs them. */
const HelpOverlay = ({ onClose }: { onClose: () => void }) => {
  const commands = useAllCommands().filter((command) => keysOf(command).length > 0)
  const groups = groupsOf(commands)
  return (
    <Dialog title={t`Keyboard shortcuts`} isOpen onClose={onClose} isWide>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: so that it can be scrolled by key */}
      <section className="grid-2" tabIndex={0} aria-label={t`All shortcuts`}>
        {groups.map((group) => (
          <section key={group} className="stack stack--tight">
            <h3 className="text-soft text-small">{group}</h3>
            <ul>
              {commands
                .filter((command) => command.group === group)
                .map((command) => (
                  <li key={command.id} className="row row--between help__line">
                    <span>{command.label}</span>
                    <span className="row">
                      {keysOf(command).map((keys) => (
                        <Keys key={keys} keys={keys} />
                      ))}
                    </span>
                  </li>
                ))}
            </ul>
          </section>
        ))}
      </section>
    </Dialog>
  )
}
export default HelpOverlay
