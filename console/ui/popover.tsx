// A small popup next to its button: a picker, a short form. Its code is loaded when the pointer comes near.
import type { ReactElement } from 'react'
import { loadOnce, type PopupProps, usePopupTrigger } from './popup-trigger.tsx'

const parts = loadOnce(() => import('./popover-parts.tsx'))

/** Controlled if `isOpen` is given, e.g. to open it by key. `isFlush` is for a Picker, which has its own margins. */
export const Popover = ({
  trigger,
  label,
  isOpen,
  onOpenChange,
  align = 'end',
  side = 'bottom',
  isFlush = false,
  finalFocus,
  children,
}: Pick<PopupProps, 'label' | 'align' | 'side' | 'children'> & {
  trigger: ReactElement<Record<string, unknown>>
  isOpen?: boolean
  onOpenChange?: (isOpen: boolean) => void
  isFlush?: boolean
  /** What gets focus when it closes; its button if that is nothing. */
  finalFocus?: () => HTMLElement | null | undefined
}) => {
  const { button, popup } = usePopupTrigger(trigger, 'dialog', parts, { isOpen, onOpenChange })
  return (
    <>
      {button}
      {popup(({ PopoverPopup }, opener) => (
        <PopoverPopup
          {...opener}
          align={align}
          side={side}
          label={label}
          isFlush={isFlush}
          finalFocus={finalFocus}
        >
          {children}
        </PopoverPopup>
      ))}
    </>
  )
}
