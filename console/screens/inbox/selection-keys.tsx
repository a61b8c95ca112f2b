// Selecting rows by key. Loaded after the list, which is drawn without it.
import { useCommands } from '../../state/commands.ts'
import type { View } from '../../state/conversations.ts'
import type { ConversationRow as Row } from '../../state/types.ts'
import { t } from '../../words/t.ts'
import { isLeaving, rowBeside } from './list-place.ts'
import { selectUpTo } from './select-up-to.ts'
import { toggleSelected } from './selection.ts'

/** X selects a row; with Shift, J and K select on the way. */
const SelectionKeys = ({
  rows,
  view,
  here,
  step,
}: {
  rows: readonly Row[]
  view: View
  here: () => Row | undefined
  step: (by: 1 | -1) => void
}) => {
  const extend = (by: 1 | -1): void => {
    const from = here()
    const to = rowBeside(by, isLeaving(view))
    if (from && to)
      selectUpTo(
        rows.map(({ id }) => id),
        to.id,
        from.id,
      )
    step(by)
  }
  const group = t`Inbox`
  useCommands([
    {
      id: 'select',
      label: t`Select or deselect`,
      group,
      keys: 'x',
      run: () => {
        const row = here()
        if (row) toggleSelected(row.id)
      },
      inPalette: false,
    },
    {
      id: 'extend',
      label: t`Select this and the next`,
      group,
      keys: 'shift+j',
      run: () => extend(1),
      inPalette: false,
    },
    {
      id: 'extend back',
      label: t`Select this and the previous`,
      group,
      keys: 'shift+k',
      run: () => extend(-1),
      inPalette: false,
    },
  ])
  return null
}
export default SelectionKeys
