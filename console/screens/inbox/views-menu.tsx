// The views that have no tab, and the saved ones with how many each has. Loaded when the menu is opened.
import { useQueries, useQuery } from '@tanstack/react-query'
import { AlarmClock, Archive, AtSign, Bookmark, BookmarkPlus, Inbox, Settings2, Users } from 'lucide-react'
import type { ListFilter, View } from '../../state/conversations.ts'
import { listedCountQuery, savedViewsQuery } from '../../state/saved-views.ts'
import { useApi } from '../../state/session.tsx'
import { MenuGroup, MenuItem, MenuLine, MenuLink } from '../../ui/menu.tsx'
import { openSavedViews } from './saved-views-open.ts'

const OTHERS = [
  { to: 'snoozed', icon: AlarmClock, keys: 'g z' },
  { to: 'mentions', icon: AtSign, keys: 'g n' },
  { to: 'closed', icon: Archive, keys: 'g e' },
  { to: 'all', icon: Inbox, keys: 'g a' },
] as const

const LISTED_MAX = 100

const ViewsMenu = ({
  filter,
  labels,
  snoozed,
}: {
  filter: ListFilter
  labels: Record<View, string>
  snoozed: number
}) => {
  const api = useApi()
  const { view: _, ...search } = filter
  const { data: views = [] } = useQuery(savedViewsQuery(api))
  const counts = useQueries({ queries: views.map((one) => listedCountQuery(api, one.filter)) })
  return (
    <>
      {OTHERS.map(({ to, icon, keys }) => (
        <MenuLink
          key={to}
          icon={icon}
          {...(to === 'snoozed' && snoozed > 0 ? { hint: String(snoozed) } : { keys })}
          link={{ to: '/inbox/$view', params: { view: to }, search }}
        >
          {labels[to]}
        </MenuLink>
      ))}
      <MenuLine />
      {views.length > 0 && (
        <MenuGroup label="Saved views">
          {views.map(({ id, name, isShared, filter: { view, ...search } }, at) => {
            const count = counts[at]?.data?.count
            return (
              <MenuLink
                key={id}
                icon={isShared ? Users : Bookmark}
                hint={count === undefined ? '' : count >= LISTED_MAX ? `${LISTED_MAX}+` : String(count)}
                link={{ to: '/inbox/$view', params: { view }, search }}
              >
                {name}
              </MenuLink>
            )
          })}
        </MenuGroup>
      )}
      <MenuItem icon={BookmarkPlus} onSelect={() => openSavedViews('save')}>
        Save this view…
      </MenuItem>
      {views.length > 0 && (
        <MenuItem icon={Settings2} onSelect={() => openSavedViews('manage')}>
          Manage saved views…
        </MenuItem>
      )}
    </>
  )
}
export default ViewsMenu
