// Where a flow continues: a block, an end, or a block that is added for it. The last has a button of its own: arrow keys
// and typing choose every option that they pass.
import { ListPlus } from 'lucide-react'
import { IconButton } from '../../../ui/button.tsx'
import { Select } from '../../../ui/field.tsx'
import { t } from '../../../words/t.ts'
import { orderBlocks } from '../definition/order-blocks.ts'
import { blockTitle, END_WORDS } from '../definition/words.ts'
import { useEditor } from '../editor-context.tsx'

export const TargetInput = ({
  label,
  empty,
  newTitle,
  value,
  onChange,
}: {
  label: string
  /** What happens if nothing is chosen; without it, something must be. */
  empty?: string
  /** The title of a block that is added here. */
  newTitle: string
  value: string | undefined
  onChange: (target: string | undefined) => void
}) => {
  const { definition, createBlock, isReadOnly } = useEditor()
  const blocks = orderBlocks(definition)
  const isUnknown = value !== undefined && !blocks.includes(value) && !Object.hasOwn(END_WORDS, value)
  return (
    <div className="flow-target">
      <Select
        label={label}
        disabled={isReadOnly}
        value={value ?? ''}
        problem={isUnknown ? t`This block was deleted. Choose another.` : undefined}
        options={[
          ...(empty === undefined ? [] : [{ value: '', label: empty }]),
          ...(isUnknown ? [{ value, label: t`${value} (deleted)` }] : []),
          ...blocks.map((id) => ({ value: id, label: blockTitle(definition, id) })),
          ...Object.entries(END_WORDS).map(([id, label]) => ({ value: id, label })),
        ]}
        onChange={({ target }) => onChange(target.value || undefined)}
      />
      {!isReadOnly && (
        <IconButton
          icon={ListPlus}
          label={t`New block “${newTitle}”`}
          onClick={() => onChange(createBlock(newTitle))}
        />
      )}
    </div>
  )
}
