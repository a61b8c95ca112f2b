// Something small beside its button: a picker, a short form. What draws it is loaded when a hand comes near.
import { lazy, type ReactElement, type ReactNode } from 'react'
import { usePopupTrigger } from './popup-trigger.tsx'

const load = () => import('./popover-parts.tsx')
const PopoverPopup = lazy(() => load().then((parts) => ({ default: parts.PopoverPopup })))

/** Controlled when `isOpen` is given; a key may open it then. `isFlush` for a Picker, which has its own margins. */
export const Popover = ({
  trigger,
  label,
  isOpen,
  onOpenChange,
  align = 'end',
  side = 'bottom',
  isFlush = false,
  children,
}: {
  trigger: ReactElement<Record<string, unknown>>
  label: string
  isOpen?: boolean
  onOpenChange?: (isOpen: boolean) => void
  align?: 'start' | 'center' | 'end'
  side?: 'top' | 'bottom'
  isFlush?: boolean
  children: ReactNode
}) => {
  const popup = usePopupTrigger(trigger, 'dialog', load, { isOpen, onOpenChange })
  return (
    <>
      {popup.button}
      {popup.whenWanted(
        <PopoverPopup
          anchor={popup.anchor}
          isOpen={popup.isOpen}
          onOpenChange={popup.setOpen}
          align={align}
          side={side}
          label={label}
          isFlush={isFlush}
        >
          {children}
        </PopoverPopup>,
      )}
    </>
  )
}
