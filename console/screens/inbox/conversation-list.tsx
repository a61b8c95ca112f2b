import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowUp, CheckCheck, Inbox as InboxIcon, SearchX } from 'lucide-react'
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useCommands } from '../../state/commands.ts'
import { conversationsQuery, type ListFilter, loadMoreConversations } from '../../state/conversations.ts'
import { useApi } from '../../state/session.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { SkeletonRows, Spinner } from '../../ui/spinner.tsx'
import { toastError } from '../../ui/toast.tsx'
import { ConversationRow } from './conversation-row.tsx'
import { useHeldOrder } from './held-order.ts'
import { ListHead } from './list-head.tsx'

const ROW_PX = 72
const LOAD_BEFORE_ROWS = 20
/** A pointer that has not moved for this long is not about to click. */
const POINTED_MS = 3_000

type Props = {
  filter: ListFilter
  openId: string | undefined
  onOpen: (id: string, replace: boolean) => void
}

export const ConversationList = ({ filter, openId, onOpen }: Props) => {
  const api = useApi()
  const client = useQueryClient()
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery({
    ...conversationsQuery(client, api, filter),
    placeholderData: filter.q ? keepPreviousData : undefined,
  })
  const scroller = useRef<HTMLDivElement>(null)
  const [isScrolled, setScrolled] = useState(false)
  const [isPointed, setPointed] = useState(false)
  const resting = useRef<ReturnType<typeof setTimeout>>(undefined)
  const point = (): void => {
    setPointed(true)
    clearTimeout(resting.current)
    resting.current = setTimeout(() => setPointed(false), POINTED_MS)
  }
  const name = JSON.stringify(filter)
  const held = useHeldOrder(data?.rows ?? NO_ROWS, isScrolled || isPointed, name)
  const { rows, waitingCount } = held

  // biome-ignore lint/correctness/useExhaustiveDependencies: a different list starts at the top
  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 })
    setScrolled(false)
  }, [name])

  const loading = useRef(false)
  const loadMore = useCallback(async () => {
    if (loading.current) return
    loading.current = true
    await loadMoreConversations(client, api, filter).catch(toastError)
    loading.current = false
  }, [client, api, filter])

  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 8,
  })
  const items = virtual.getVirtualItems()
  const lastShown = items.at(-1)?.index ?? 0
  const hasMore = Boolean(data?.nextCursor)
  useEffect(() => {
    if (hasMore && !isPlaceholderData && lastShown >= rows.length - LOAD_BEFORE_ROWS) void loadMore()
  }, [hasMore, isPlaceholderData, lastShown, rows.length, loadMore])

  const openIndex = useMemo(() => rows.findIndex(({ id }) => id === openId), [rows, openId])
  const step = (by: number): void => {
    const next = openIndex === -1 ? 0 : openIndex + by
    const row = rows[Math.max(0, Math.min(next, rows.length - 1))]
    if (!row || row.id === openId) return
    onOpen(row.id, openId !== undefined)
    virtual.scrollToIndex(next, { align: 'auto' })
  }
  useCommands([
    {
      id: 'next',
      label: 'Next conversation',
      group: 'Inbox',
      keys: 'j',
      run: () => step(1),
      inPalette: false,
    },
    {
      id: 'previous',
      label: 'Previous conversation',
      group: 'Inbox',
      keys: 'k',
      run: () => step(-1),
      inPalette: false,
    },
  ])

  const focusRow = (index: number): void => {
    virtual.scrollToIndex(index, { align: 'auto' })
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"] a`)?.focus(),
    )
  }
  /** Arrow keys move focus and Enter opens, because rows are links. */
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (by === 0) return
    const focused = (document.activeElement as HTMLElement | null)?.closest<HTMLElement>('[data-index]')
    if (!focused) return
    event.preventDefault()
    focusRow(Math.max(0, Math.min(Number(focused.dataset.index) + by, rows.length - 1)))
  }

  return (
    <section className="list" aria-label="Conversations">
      <ListHead filter={filter} onLeaveSearch={() => focusRow(0)} />
      {waitingCount > 0 && (
        <div className="list__pill">
          <Button
            size="small"
            variant="primary"
            icon={ArrowUp}
            onClick={() => {
              setPointed(false)
              scroller.current?.scrollTo({ top: 0 })
            }}
          >
            {waitingCount > 99 ? '99+' : waitingCount} new
          </Button>
        </div>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the rows inside are links; this only moves focus among them */}
      <div
        ref={scroller}
        className={isScrolled ? 'list__scroller' : 'list__scroller list__scroller--still'}
        onScroll={(event) => setScrolled(event.currentTarget.scrollTop > 4)}
        onPointerMove={(event) => event.pointerType === 'mouse' && point()}
        onPointerLeave={() => setPointed(false)}
        onKeyDown={onKeyDown}
      >
        {isPending ? (
          <SkeletonRows />
        ) : error && rows.length === 0 ? (
          <LoadProblem error={error} onRetry={() => void refetch()} />
        ) : rows.length === 0 && !hasMore ? (
          <NothingHere filter={filter} />
        ) : (
          <ul className="list__rows" style={{ height: virtual.getTotalSize() }} aria-label="Conversations">
            {items.map(({ index, start, key }) => {
              const row = rows[index]
              return (
                row && (
                  <li
                    key={key}
                    data-index={index}
                    className="list__row"
                    style={{ transform: `translateY(${start}px)` }}
                    aria-posinset={index + 1}
                    aria-setsize={hasMore ? -1 : rows.length}
                  >
                    <ConversationRow row={row} filter={filter} isOpen={row.id === openId} />
                  </li>
                )
              )
            })}
          </ul>
        )}
        {hasMore && !isPending && (
          <div className="list__more" role="status" aria-label="Loading more">
            <Spinner />
          </div>
        )}
      </div>
    </section>
  )
}

const NO_ROWS: never[] = []

const NothingHere = ({ filter: { view, channel, q, unread } }: { filter: ListFilter }) => {
  if (q)
    return (
      <EmptyState icon={SearchX} title={`No results for “${q}”`}>
        We searched names, emails, subjects and messages.
      </EmptyState>
    )
  if (unread) return <EmptyState icon={CheckCheck} title="You’re all caught up" />
  if (channel) return <EmptyState icon={InboxIcon} title="Nothing on this channel" />
  const words = {
    mine: ['Nothing is assigned to you', 'Open one from Unassigned and press A to assign it.'],
    unassigned: ['Nothing is unassigned', 'New conversations will appear here.'],
    open: ['All done', 'New messages will appear here.'],
    closed: ['No closed conversations', 'Press E in a conversation to close it.'],
    all: ['No conversations yet', 'They will appear here when customers write.'],
  }[view]
  return (
    <EmptyState icon={view === 'open' ? CheckCheck : InboxIcon} title={words[0]!}>
      {words[1]}
    </EmptyState>
  )
}
