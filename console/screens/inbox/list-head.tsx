import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Ellipsis, Filter, X } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { CHANNELS } from '../../../channels/names.ts'
import { useCommands } from '../../state/commands.ts'
import { countsQuery, type ListFilter, VIEWS, type View } from '../../state/conversations.ts'
import { useApi, useSession } from '../../state/session.tsx'
import { channelIcon, channelName } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Menu, MenuChoice, MenuGroup, MenuLine } from '../../ui/menu.tsx'
import { SearchField } from '../../ui/search-field.tsx'

const ViewMenu = lazy(() => import('./view-menu.tsx'))

const ChannelHint = lazy(() => import('./channel-hint.tsx'))

const SEARCH_WAIT_MS = 120

const LABELS: Record<View, string> = {
  mine: 'Mine',
  unassigned: 'Unassigned',
  open: 'Open',
  closed: 'Closed',
  all: 'All',
}
const VIEW_KEYS: Record<View, string> = {
  mine: 'g m',
  unassigned: 'g u',
  open: 'g o',
  closed: 'g e',
  all: 'g a',
}
const countText = (count: number): string => (count >= 1000 ? '999+' : String(count))

type Search = Pick<ListFilter, 'channel' | 'q' | 'unread' | 'order'>

const NO_SEARCH = { q: undefined, find: undefined, at: undefined }

/** Filters for the list: views with counts, search, channel, unread only. They are all kept in the URL. */ type FilterProps =
  Pick<ListFilter, 'channel' | 'unread'> & { onChange: (change: Search) => void }

export const ListHead = ({
  filter,
  onLeaveSearch,
}: {
  filter: ListFilter
  /** Moves focus from the search field to the results. */
  onLeaveSearch: (q: string) => void
}) => {
  const { channel, q = '', unread, order } = filter
  const { isAdmin } = useSession()
  const navigate = useNavigate()
  const change = (search: Search): void =>
    void navigate({ to: '.', search: (known) => ({ ...known, ...search }), replace: true })

  useCommands(
    VIEWS.map((to) => ({
      id: `view ${to}`,
      label: `Show ${LABELS[to].toLowerCase()}`,
      group: 'Inbox',
      keys: VIEW_KEYS[to],
      run: () => void navigate({ to: '/inbox/$view', params: { view: to }, search: (known) => known }),
    })),
  )

  return (
    <header className="list__head">
      <h1 className="hidden-visually">Inbox</h1>
      <div className="list__tools">
        <SearchField
          group="Inbox"
          label="Search conversations"
          placeholder="Search"
          waitMs={SEARCH_WAIT_MS}
          value={q}
          onSearch={(text) => change(text ? { q: text } : NO_SEARCH)}
          onLeave={onLeaveSearch}
        />
        <Menu
          label="Filter"
          trigger={<IconButton icon={Filter} label="Filter" isPressed={Boolean(channel || unread)} />}
        >
          <FilterMenu channel={channel} unread={unread} onChange={change} />
        </Menu>
        <Menu label="View" trigger={<IconButton icon={Ellipsis} label="View" isPressed={Boolean(order)} />}>
          <Suspense>
            <ViewMenu order={order} onOrder={(order) => change({ order })} />
          </Suspense>
        </Menu>
      </div>
      <Views filter={filter} />
      {(channel || unread) && <ChosenFilters channel={channel} unread={unread} onChange={change} />}
      <Suspense>{isAdmin && <ChannelHint />}</Suspense>
    </header>
  )
}

const Views = ({ filter: { view, ...search } }: { filter: ListFilter }) => {
  const { data: counts } = useQuery(countsQuery(useApi()))
  const countOf = (which: View): number =>
    (which === 'mine' || which === 'unassigned' || which === 'open' ? counts?.[which] : 0) ?? 0
  return (
    <nav className="views" aria-label="Views">
      {VIEWS.map((to) => {
        const count = countOf(to)
        return (
          <Link
            key={to}
            to="/inbox/$view"
            params={{ view: to }}
            search={search}
            className={to === view ? 'views__view views__view--here' : 'views__view'}
            aria-current={to === view ? 'page' : undefined}
          >
            {LABELS[to]}
            {count > 0 && <span className="views__count">{countText(count)}</span>}
          </Link>
        )
      })}
    </nav>
  )
}

const FilterMenu = ({ channel, unread, onChange }: FilterProps) => (
  <>
    <MenuChoice isChosen={unread === true} onSelect={() => onChange({ unread: unread ? undefined : true })}>
      Unread only
    </MenuChoice>
    <MenuLine />
    <MenuGroup label="Channel">
      <MenuChoice isChosen={!channel} onSelect={() => onChange({ channel: undefined })}>
        All channels
      </MenuChoice>
      {CHANNELS.map((id) => (
        <MenuChoice
          key={id}
          icon={channelIcon(id)}
          isChosen={channel === id}
          onSelect={() => onChange({ channel: id })}
        >
          {channelName(id)}
        </MenuChoice>
      ))}
    </MenuGroup>
  </>
)

const ChosenFilters = ({ channel, unread, onChange }: FilterProps) => (
  <div className="row row--wrap list__filters">
    {unread && (
      <Button size="small" icon={X} onClick={() => onChange({ unread: undefined })}>
        Unread
      </Button>
    )}
    {channel && (
      <Button size="small" icon={X} onClick={() => onChange({ channel: undefined })}>
        {channelName(channel)}
      </Button>
    )}
  </div>
)
