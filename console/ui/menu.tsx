// A list of actions behind a button. What draws it is loaded when a hand comes near the button.
import { lazy, type ReactElement, type ReactNode } from 'react'
import { usePopupTrigger } from './popup-trigger.tsx'

const load = () => import('./menu-parts.tsx')
const MenuPopup = lazy(() => load().then((parts) => ({ default: parts.MenuPopup })))
export const MenuItem = lazy(() => load().then((parts) => ({ default: parts.MenuItem })))
export const MenuLink = lazy(() => load().then((parts) => ({ default: parts.MenuLink })))
export const MenuChoice = lazy(() => load().then((parts) => ({ default: parts.MenuChoice })))
export const MenuGroup = lazy(() => load().then((parts) => ({ default: parts.MenuGroup })))
export const MenuLine = lazy(() => load().then((parts) => ({ default: parts.MenuLine })))

/** `trigger` is the button itself; `label` names the menu. */
export const Menu = ({
  trigger,
  label,
  align = 'end',
  side = 'bottom',
  children,
}: {
  trigger: ReactElement<Record<string, unknown>>
  label: string
  align?: 'start' | 'center' | 'end'
  side?: 'top' | 'bottom'
  children: ReactNode
}) => {
  const { anchor, isOpen, setOpen, button, whenWanted } = usePopupTrigger(trigger, 'menu', load)
  return (
    <>
      {button}
      {whenWanted(
        <MenuPopup
          anchor={anchor}
          isOpen={isOpen}
          onOpenChange={setOpen}
          align={align}
          side={side}
          label={label}
        >
          {children}
        </MenuPopup>,
      )}
    </>
  )
}
