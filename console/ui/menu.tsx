// A menu behind a button. Its code is loaded when the pointer comes near the button.
import type { ComponentProps, ReactElement, ReactNode } from 'react'
import { loadOnce, usePopupTrigger } from './popup-trigger.tsx'

const parts = loadOnce(() => import('./menu-parts.tsx'))
type Parts = typeof import('./menu-parts.tsx')

// Menu items are only rendered while the menu is open, when the code is loaded.
export const MenuItem = (props: ComponentProps<Parts['MenuItem']>) => {
  const Item = parts.get()?.MenuItem
  return Item ? <Item {...props} /> : null
}
export const MenuLink = (props: ComponentProps<Parts['MenuLink']>) => {
  const Link = parts.get()?.MenuLink
  return Link ? <Link {...props} /> : null
}
export const MenuChoice = (props: ComponentProps<Parts['MenuChoice']>) => {
  const Choice = parts.get()?.MenuChoice
  return Choice ? <Choice {...props} /> : null
}
export const MenuGroup = (props: ComponentProps<Parts['MenuGroup']>) => {
  const Group = parts.get()?.MenuGroup
  return Group ? <Group {...props} /> : null
}
export const MenuLine = () => {
  const Line = parts.get()?.MenuLine
  return Line ? <Line /> : null
}

/** `trigger` is the button itself; `label` is the menu's name. */
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
  const { anchor, isOpen, setOpen, button, popup } = usePopupTrigger(trigger, 'menu', parts)
  return (
    <>
      {button}
      {popup(({ MenuPopup }) => (
        <MenuPopup
          anchor={anchor}
          isOpen={isOpen}
          onOpenChange={setOpen}
          align={align}
          side={side}
          label={label}
        >
          {children}
        </MenuPopup>
      ))}
    </>
  )
}
