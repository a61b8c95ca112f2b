// A button that opens a searchable list and closes once something is picked.
import { type RefObject, useRef, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import type { LucideIcon } from '../../../ui/icons.ts'
import { Picker, type PickerItem } from '../../../ui/picker.tsx'
import { Popover } from '../../../ui/popover.tsx'

export const PickPopover = ({
  label,
  button,
  icon,
  isWide,
  items,
  selectedIds,
  focusAfter,
  onPick,
}: {
  label: string
  button: string
  icon: LucideIcon
  isWide?: boolean
  /** Worked out when it opens. */
  items: () => PickerItem[]
  /** Several can be picked; it stays open. */
  selectedIds?: ReadonlySet<string>
  /** What gets focus once something is picked, instead of the button. */
  focusAfter?: RefObject<HTMLElement | null>
  onPick: (id: string) => void
}) => {
  const hasPicked = useRef(false)
  const [isOpen, setOpen] = useState(false)
  return (
    <Popover
      label={label}
      isFlush
      align="start"
      isOpen={isOpen}
      onOpenChange={(open) => {
        hasPicked.current = false
        setOpen(open)
      }}
      finalFocus={() => (hasPicked.current ? focusAfter?.current : null)}
      trigger={
        <Button size="small" variant="ghost" icon={icon}>
          {button}
        </Button>
      }
    >
      <Picker
        label={label}
        isWide={isWide}
        items={isOpen ? items() : []}
        selectedIds={selectedIds}
        onPick={(id) => {
          hasPicked.current = true
          if (!selectedIds) setOpen(false)
          onPick(id)
        }}
      />
    </Popover>
  )
}
