// A menu behind a button. Its code is loaded when the pointer comes near the button.
import type { ComponentType, ReactElement, ReactNode } from 'react'
import { loadOnce, type PopupProps, usePopupTrigger } from './popup-trigger.tsx'

const parts = loadOnce(() => import('./menu-parts.tsx'))
type Parts = typeof import('./menu-parts.tsx')

/** A part is only rendered while its menu is open, when the code is loaded. */
const loaded =
  <P extends object>(choose: (all: Parts) => ComponentType<P>) =>
  (props: P): ReactNode => {
    const all = parts.get()
    if (!all) return null
    const Part = choose(all)
    return <Part {...props} />
  }
export const MenuItem = loaded((all) => all.MenuItem)
export const MenuLink = loaded((all) => all.MenuLink)
export const MenuChoice = loaded((all) => all.MenuChoice)
export const MenuGroup = loaded((all) => all.MenuGroup)
export const MenuLine = loaded((all) => all.MenuLine)

/** `trigger` is the button itself; `label` is the menu's name. */
export const Menu = ({
  trigger,
  label,
  align = 'end',
  side = 'bottom',
  children,
}: Pick<PopupProps, 'label' | 'align' | 'side' | 'children'> & {
  trigger: ReactElement<Record<string, unknown>>
}) => {
  const { button, popup } = usePopupTrigger(trigger, 'menu', parts)
  return (
    <>
      {button}
      {popup(({ MenuPopup }, opener) => (
        <MenuPopup {...opener} align={align} side={side} label={label}>
          {children}
        </MenuPopup>
      ))}
    </>
  )
}
