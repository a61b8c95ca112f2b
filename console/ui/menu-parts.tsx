// The parts of a menu, loaded when the first one is about to open; see menu.tsx.
import { Menu as Base } from '@base-ui/react/menu'
import { Link, type LinkProps } from '@tanstack/react-router'
import { Check, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Keys } from './kbd.tsx'
import { POPUP_PLACE, type PopupProps } from './popup-trigger.tsx'

export const MenuPopup = ({ anchor, isOpen, onOpenChange, align, side, label, children }: PopupProps) => (
  <Base.Root open={isOpen} onOpenChange={onOpenChange}>
    <Base.Portal>
      <Base.Positioner {...POPUP_PLACE} anchor={anchor} align={align} side={side}>
        <Base.Popup className="menu" finalFocus={anchor} aria-label={label}>
          {children}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)

export type ItemProps = {
  icon?: LucideIcon
  hint?: ReactNode
  keys?: string
  isDanger?: boolean
  isDisabled?: boolean
  children: ReactNode
}

const Inside = ({ icon: Icon, hint, keys, children }: ItemProps) => (
  <>
    {Icon && <Icon size={16} aria-hidden />}
    <bdi className="truncate">{children}</bdi>
    {(hint || keys) && <span className="menu__hint">{keys ? <Keys keys={keys} /> : hint}</span>}
  </>
)

export const MenuItem = ({ onSelect, ...item }: ItemProps & { onSelect: () => void }) => (
  <Base.Item
    className={classNames('menu__item', item.isDanger && 'menu__item--danger')}
    disabled={item.isDisabled}
    onClick={onSelect}
  >
    <Inside {...item} />
  </Base.Item>
)

export const MenuLink = ({ link, ...item }: ItemProps & { link: LinkProps }) => (
  <Base.Item className="menu__item" render={<Link {...link} />}>
    <Inside {...item} />
  </Base.Item>
)

/** An option in a group; the selected one is marked. */
export const MenuChoice = ({
  isChosen,
  onSelect,
  ...item
}: ItemProps & { isChosen: boolean; onSelect: () => void }) => (
  <Base.CheckboxItem className="menu__item" checked={isChosen} onCheckedChange={onSelect} closeOnClick>
    <Inside {...item} hint={isChosen ? <Check size={14} aria-hidden /> : item.hint} />
  </Base.CheckboxItem>
)

export const MenuGroup = ({ label, children }: { label: string; children: ReactNode }) => (
  <Base.Group>
    <Base.GroupLabel className="menu__label">{label}</Base.GroupLabel>
    {children}
  </Base.Group>
)

export const MenuLine = () => <Base.Separator className="menu__line" />
