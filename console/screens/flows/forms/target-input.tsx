// Where a flow continues: a block, an end, or a block that is added for it.
import { Select } from '../../../ui/field.tsx'
import { orderBlocks } from '../definition/order-blocks.ts'
import { blockTitle, END_WORDS } from '../definition/words.ts'
import { useEditor } from '../editor-context.tsx'

const NEW = '+'

export const TargetInput = ({
  label,
  isLabelHidden,
  empty,
  newTitle,
  value,
  onChange,
}: {
  label: string
  isLabelHidden?: boolean
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
    <Select
      label={label}
      isLabelHidden={isLabelHidden}
      disabled={isReadOnly}
      value={value ?? ''}
      problem={isUnknown ? 'This block was deleted. Choose another.' : undefined}
      options={[
        ...(empty === undefined ? [] : [{ value: '', label: empty }]),
        ...(isUnknown ? [{ value, label: `${value} (deleted)` }] : []),
        { value: NEW, label: '+ New block' },
        ...blocks.map((id) => ({ value: id, label: blockTitle(definition, id) })),
        ...Object.entries(END_WORDS).map(([id, label]) => ({ value: id, label })),
      ]}
      onChange={({ target }) =>
        onChange(target.value === NEW ? createBlock(newTitle) : target.value || undefined)
      }
    />
  )
}
