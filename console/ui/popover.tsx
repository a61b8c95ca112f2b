// A small popup next to its button: a picker, a short form. Its code is loaded when the pointer comes near.
import type { ReactElement, ReactNode } from 'react'
import { loadOnce, usePopupTrigger } from './popup-trigger.tsx'

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
  const opener = usePopupTrigger(trigger, 'dialog', parts, { isOpen, onOpenChange })
  return (
    <>
      {opener.button}
      {opener.popup(({ PopoverPopup }) => (
        <PopoverPopup
          anchor={opener.anchor}
          isOpen={opener.isOpen}
          onOpenChange={opener.setOpen}
          align={align}
          side={side}
          label={label}
          isFlush={isFlush}
        >
          {children}
        </PopoverPopup>
      ))}
    </>
  )
}
