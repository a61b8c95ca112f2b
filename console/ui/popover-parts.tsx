// What draws a popover, loaded when the first one is about to open; see popover.tsx.
import { Popover as Base } from '@base-ui/react/popover'
import { classNames } from './class-names.ts'
import { POPUP_PLACE, type PopupProps } from './popup-trigger.tsx'

export const PopoverPopup = ({
  anchor,
  isOpen,
  onOpenChange,
  align,
  side,
  label,
  isFlush = false,
  finalFocus,
  children,
}: PopupProps & { isFlush?: boolean; finalFocus?: () => HTMLElement | null | undefined }) => (
  <Base.Root open={isOpen} onOpenChange={onOpenChange}>
    <Base.Portal>
      <Base.Positioner {...POPUP_PLACE} anchor={anchor} align={align} side={side}>
        <Base.Popup
          className={classNames('popover', isFlush && 'popover--flush')}
          finalFocus={() => finalFocus?.() ?? anchor.current}
          aria-label={label}
        >
          {children}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)
