// The views that have no tab, and the saved ones with how many each has. Loaded when the menu is opened.
import { useQueries, useQuery } from '@tanstack/react-query'
import { AlarmClock, Archive, AtSign, Bookmark, BookmarkPlus, Inbox, Settings2, Users } from 'lucide-react'
import type { ListFilter, View } from '../../state/conversations.ts'
import { listedCountQuery, savedViewsQuery } from '../../state/saved-views.ts'
import { useApi, useSession } from '../../state/session.tsx'
import { OWN_TEAMS, teamsQuery } from '../../state/teams.ts'
import { MenuGroup, MenuItem, MenuLine, MenuLink } from '../../ui/menu.tsx'
import { t } from '../../words/t.ts'
import { openSavedViews } from './saved-views-open.ts'

const OTHERS = [
  { to: 'snoozed', icon: AlarmClock, keys: 'g z' },
  { to: 'mentions', icon: AtSign, keys: 'g n' },
  { to: 'closed', icon: Archive, keys: 'g e' },
  { to: 'all', icon: Inbox, keys: 'g a' },
] as const

const LISTED_MAX = 100
const countWords = (count: number | undefined): string =>
  count === undefined ? '' : count >= LISTED_MAX ? `${LISTED_MAX}+` : String(count)

/** The open conversations of the person's teams together, and of each team. */
const TeamViews = () => {
  const { api, session } = useSession()
  const { data: teams = [] } = useQuery(teamsQuery(api))
  const isMember = teams.some(({ members }) => members.some(({ id }) => id === session.account.id))
  const views = [
    ...(isMember ? [{ team: OWN_TEAMS, name: t`My teams` }] : []),
    ...teams.map(({ id, name }) => ({ team: id, name })),
  ]
  const counts = useQueries({
    queries: views.map(({ team }) => listedCountQuery(api, { view: 'open', team })),
  })
  if (views.length === 0) return null
  return (
    <>
      <MenuGroup label={t`Teams`}>
        {views.map(({ team, name }, at) => (
          <MenuLink
            key={team}
            icon={Users}
            hint={countWords(counts[at]?.data?.count)}
            link={{ to: '/inbox/$view', params: { view: 'open' }, search: { team } }}
          >
            {name}
          </MenuLink>
        ))}
      </MenuGroup>
      <MenuLine />
    </>
  )
}

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
      <TeamViews />
      {views.length > 0 && (
        <MenuGroup label={t`Saved views`}>
          {views.map(({ id, name, isShared, filter: { view, ...search } }, at) => (
            <MenuLink
              key={id}
              icon={isShared ? Users : Bookmark}
              hint={countWords(counts[at]?.data?.count)}
              link={{ to: '/inbox/$view', params: { view }, search }}
            >
              {name}
            </MenuLink>
          ))}
        </MenuGroup>
      )}
      <MenuItem icon={BookmarkPlus} onSelect={() => openSavedViews('save')}>
        {t`Save this view…`}
      </MenuItem>
      {views.length > 0 && (
        <MenuItem icon={Settings2} onSelect={() => openSavedViews('manage')}>
          {t`Manage saved views…`}
        </MenuItem>
      )}
    </>
  )
}
export default ViewsMenu
