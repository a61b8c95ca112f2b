import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ChevronDown, Ellipsis, Filter } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useCommands } from '../../state/commands.ts'
import { countsQuery, type ListFilter, type ListSearch, VIEWS, type View } from '../../state/conversations.ts'
import { useApi, useSession } from '../../state/session.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { t } from '../../words/t.ts'
import { useOpenSavedViews } from './saved-views-open.ts'

const menus = () => import('./list-menus.ts')
const ViewMenu = lazy(() => menus().then(({ ViewMenu }) => ({ default: ViewMenu })))
const FilterMenu = lazy(() => menus().then(({ FilterMenu }) => ({ default: FilterMenu })))
const ChosenFilters = lazy(() => menus().then(({ ChosenFilters }) => ({ default: ChosenFilters })))
const ViewsMenu = lazy(() => menus().then(({ ViewsMenu }) => ({ default: ViewsMenu })))
const SavedViews = lazy(() => menus().then(({ SavedViews }) => ({ default: SavedViews })))
const ChannelHint = lazy(() => import('./channel-hint.tsx'))

const SEARCH_WAIT_MS = 120

const LABELS: Record<View, string> = {
  mine: t`Mine`,
  unassigned: t`:tab:Unassigned`,
  open: t`:tab:Open`,
  snoozed: t`:tab:Snoozed`,
  mentions: t`Mentions`,
  closed: t`:tab:Closed`,
  all: t`All`,
}
const VIEW_KEYS: Record<View, string> = {
  mine: 'g m',
  unassigned: 'g u',
  open: 'g o',
  snoozed: 'g z',
  mentions: 'g n',
  closed: 'g e',
  all: 'g a',
}
const countText = (count: number): string => (count >= 1000 ? '999+' : String(count))

const NO_SEARCH = { q: undefined, find: undefined, at: undefined }

export const ListHead = ({
  filter,
  onLeaveSearch,
}: {
  filter: ListFilter
  /** Moves focus from the search field to the results. */
  onLeaveSearch: (q: string) => void
}) => {
  const { view: _, q = '', order, ...narrowing } = filter
  const isFiltered = Object.values(narrowing).some(Boolean)
  const { isAdmin } = useSession()
  const opened = useOpenSavedViews()
  const navigate = useNavigate()
  const change = (search: ListSearch): void =>
    void navigate({ to: '.', search: (known) => ({ ...known, ...search }), replace: true })

  useCommands(
    VIEWS.map((to) => ({
      id: `view ${to}`,
      label: t`Show ${LABELS[to].toLowerCase()}`,
      group: t`Inbox`,
      keys: VIEW_KEYS[to],
      run: () => void navigate({ to: '/inbox/$view', params: { view: to }, search: (known) => known }),
    })),
  )

  return (
    <header className="list__head">
      <h1 className="hidden-visually">{t`Inbox`}</h1>
      <div className="list__tools">
        <SearchField
          group={t`Inbox`}
          label={t`Search conversations`}
          placeholder={t`Search`}
          waitMs={SEARCH_WAIT_MS}
          value={q}
          onSearch={(text) => change(text ? { q: text } : NO_SEARCH)}
          onLeave={onLeaveSearch}
        />
        <Menu
          label={t`Filter`}
          trigger={<IconButton icon={Filter} label={t`Filter`} isPressed={isFiltered} />}
        >
          <Suspense>
            <FilterMenu filter={filter} onChange={change} />
          </Suspense>
        </Menu>
        <Menu
          label={t`View`}
          trigger={<IconButton icon={Ellipsis} label={t`View`} isPressed={Boolean(order)} />}
        >
          <Suspense>
            <ViewMenu order={order} onOrder={(order) => change({ order })} />
          </Suspense>
        </Menu>
      </div>
      <Views filter={filter} />
      <Suspense>{isFiltered && <ChosenFilters filter={filter} onChange={change} />}</Suspense>
      <Suspense>{isAdmin && <ChannelHint />}</Suspense>
      <Suspense>{opened && <SavedViews which={opened} filter={filter} />}</Suspense>
    </header>
  )
}

/** The others are in a menu, with the saved ones. */
const TABS: View[] = ['mine', 'unassigned', 'open']

const Views = ({ filter }: { filter: ListFilter }) => {
  const { view, ...search } = filter
  const { data: counts } = useQuery(countsQuery(useApi()))
  const countOf = (which: View): number =>
    (which === 'mine' || which === 'unassigned' || which === 'open' ? counts?.[which] : 0) ?? 0
  const isOther = !TABS.includes(view)
  return (
    <nav className="views" aria-label={t`Views`}>
      {TABS.map((to) => {
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
      <Menu
        label={t`Other views`}
        trigger={
          <button
            type="button"
            className={isOther ? 'views__view views__view--here' : 'views__view'}
            aria-label={isOther ? t`${LABELS[view]}, other views` : t`Other views`}
          >
            {isOther ? LABELS[view] : t`Other`}
            <ChevronDown size={12} aria-hidden />
          </button>
        }
      >
        <Suspense>
          <ViewsMenu filter={filter} labels={LABELS} snoozed={counts?.snoozed ?? 0} />
        </Suspense>
      </Menu>
    </nav>
  )
}
