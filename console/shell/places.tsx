// The links to the screens: a column in the rail, a tab bar on a phone.
import { Link, useLocation } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { Count } from '../ui/badge.tsx'
import { classNames } from '../ui/class-names.ts'
import { Menu, MenuLink } from '../ui/menu.tsx'
import { t } from '../words/t.ts'
import type { Place } from './navigation.ts'

/** A phone's tab bar has room for this many labels; further places are in its last tab's menu. */
const TABS_MAX = 4

export const Places = ({ places, unread }: { places: Place[]; unread: number }) => {
  const tabCount = places.length > TABS_MAX ? TABS_MAX - 1 : places.length
  return (
    <ul className="rail__places">
      {places.map(({ to, label, icon: Icon, keys }, index) => (
        <li key={to} className={index >= tabCount ? 'rail__wide-only' : undefined}>
          <Link
            to={to}
            className="rail__place"
            activeProps={{ className: 'rail__place--here' }}
            title={`${label} (${keys})`}
          >
            <Icon size={18} aria-hidden />
            <span className="rail__label">{label}</span>
            {to === '/inbox' && unread > 0 && <Count value={unread} label={t`${unread} unread`} />}
          </Link>
        </li>
      ))}
      {tabCount < places.length && <MorePlaces places={places.slice(tabCount)} />}
    </ul>
  )
}

const MorePlaces = ({ places }: { places: Place[] }) => {
  const { pathname } = useLocation()
  const isHere = places.some(({ to }) => pathname.startsWith(to))
  return (
    <li className="rail__more">
      <Menu
        label={t`More`}
        side="top"
        trigger={
          <button type="button" className={classNames('rail__place', isHere && 'rail__place--here')}>
            <Ellipsis size={18} aria-hidden />
            <span className="rail__label">{t`More`}</span>
          </button>
        }
      >
        {places.map(({ to, label, icon }) => (
          <MenuLink key={to} icon={icon} link={{ to }}>
            {label}
          </MenuLink>
        ))}
      </Menu>
    </li>
  )
}
