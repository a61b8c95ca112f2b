import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Filter, Search, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { CHANNELS } from '../../../channels/names.ts'
import { useCommands } from '../../state/commands.ts'
import { countsQuery, type ListFilter, type View } from '../../state/conversations.ts'
import { useApi } from '../../state/session.tsx'
import { channelIcon, channelName } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Menu, MenuChoice, MenuGroup, MenuLine } from '../../ui/menu.tsx'

const SEARCH_WAIT_MS = 120
const SEARCH_MAX = 160

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

/** Filters for the list: views with counts, search, channel, unread only. They are all kept in the URL. */
export const ListHead = ({
  filter,
  onLeaveSearch,
}: {
  filter: ListFilter
  /** Moves focus from the search field to the results. */
  onLeaveSearch: () => void
}) => {
  const { view, channel, q = '', unread } = filter
  const api = useApi()
  const navigate = useNavigate()
  const { data: counts } = useQuery(countsQuery(api))
  const [text, setText] = useState(q)
  const field = useRef<HTMLInputElement>(null)

  const change = (search: { channel?: string; q?: string; unread?: boolean }): void =>
    void navigate({ to: '.', search: (known) => ({ ...known, ...search }), replace: true })

  // Typed text is put in the URL after a pause; changing the query key cancels the previous query.
  useEffect(() => {
    const wanted = text.trim()
    if (wanted === q) return
    const timer = setTimeout(
      () =>
        void navigate({
          to: '.',
          search: (known) => ({ ...known, q: wanted || undefined }),
          replace: true,
        }),
      SEARCH_WAIT_MS,
    )
    return () => clearTimeout(timer)
  }, [text, q, navigate])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the URL changes the field, not the field itself
  useEffect(() => {
    if (text.trim() !== q && document.activeElement !== field.current) setText(q)
  }, [q])

  useCommands([
    {
      id: 'search',
      label: 'Search conversations',
      group: 'Inbox',
      keys: '/',
      icon: Search,
      run: () => {
        field.current?.focus()
        field.current?.select()
      },
    },
    ...(Object.keys(LABELS) as View[]).map((to) => ({
      id: `view ${to}`,
      label: `Show ${LABELS[to].toLowerCase()}`,
      group: 'Inbox',
      keys: VIEW_KEYS[to],
      run: () => void navigate({ to: '/inbox/$view', params: { view: to }, search: (known) => known }),
    })),
  ])

  const countOf = (which: View): number | undefined =>
    which === 'mine' || which === 'unassigned' || which === 'open' ? counts?.[which] : undefined

  return (
    <header className="list__head">
      <h1 className="hidden-visually">Inbox</h1>
      <div className="list__tools">
        <div className="search">
          <Search size={15} aria-hidden />
          <input
            ref={field}
            className="search__input"
            type="search"
            dir="auto"
            aria-label="Search conversations"
            placeholder="Search"
            maxLength={SEARCH_MAX}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.nativeEvent.isComposing) return
              if (event.key === 'Enter' || event.key === 'ArrowDown') {
                event.preventDefault()
                onLeaveSearch()
              } else if (event.key === 'Escape') {
                if (text) setText('')
                else event.currentTarget.blur()
              }
            }}
          />
          {text && (
            <IconButton
              icon={X}
              size="small"
              label="Clear search"
              hasTooltip={false}
              onClick={() => {
                setText('')
                field.current?.focus()
              }}
            />
          )}
        </div>
        <Menu
          label="Filter"
          trigger={<IconButton icon={Filter} label="Filter" isPressed={Boolean(channel || unread)} />}
        >
          <MenuChoice
            isChosen={unread === true}
            onSelect={() => change({ unread: unread ? undefined : true })}
          >
            Unread only
          </MenuChoice>
          <MenuLine />
          <MenuGroup label="Channel">
            <MenuChoice isChosen={!channel} onSelect={() => change({ channel: undefined })}>
              All channels
            </MenuChoice>
            {CHANNELS.map((id) => (
              <MenuChoice
                key={id}
                icon={channelIcon(id)}
                isChosen={channel === id}
                onSelect={() => change({ channel: id })}
              >
                {channelName(id)}
              </MenuChoice>
            ))}
          </MenuGroup>
        </Menu>
      </div>
      <nav className="views" aria-label="Views">
        {(Object.keys(LABELS) as View[]).map((to) => {
          const count = countOf(to)
          return (
            <Link
              key={to}
              to="/inbox/$view"
              params={{ view: to }}
              search={{ channel, q: q || undefined, unread }}
              className={to === view ? 'views__view views__view--here' : 'views__view'}
              aria-current={to === view ? 'page' : undefined}
            >
              {LABELS[to]}
              {count !== undefined && count > 0 && <span className="views__count">{countText(count)}</span>}
            </Link>
          )
        })}
      </nav>
      {(channel || unread) && (
        <div className="row row--wrap list__filters">
          {unread && (
            <Button size="small" icon={X} onClick={() => change({ unread: undefined })}>
              Unread
            </Button>
          )}
          {channel && (
            <Button size="small" icon={X} onClick={() => change({ channel: undefined })}>
              {channelName(channel)}
            </Button>
          )}
        </div>
      )}
    </header>
  )
}
