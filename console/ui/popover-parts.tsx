// What draws a popover, loaded when the first one is about to open; see popover.tsx.
import { Popover as Base } from '@base-ui/react/popover'
import { classNames } from './class-names.ts'
import type { PopupProps } from './menu-parts.tsx'

export const PopoverPopup = ({
  anchor,
  isOpen,
  onOpenChange,
  align,
  side,
  label,
  isFlush = false,
  children,
}: PopupProps & { isFlush?: boolean }) => (
  <Base.Root
    open={isOpen}
    onOpenChange={(open, { event }) => {
      // The trigger handles clicks on itself.
      if (!open && event.target instanceof Node && anchor.current?.contains(event.target)) return
      onOpenChange(open)
    }}
  >
    <Base.Portal>
      <Base.Positioner
        anchor={anchor}
        align={align}
        side={side}
        sideOffset={4}
        collisionPadding={8}
        className="popup-place"
      >
        <Base.Popup
          className={classNames('popover', isFlush && 'popover--flush')}
          finalFocus={anchor}
          aria-label={label}
        >
          {children}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)
