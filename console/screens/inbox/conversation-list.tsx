import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { ArrowUp, CheckCheck, Inbox as InboxIcon, SearchX } from 'lucide-react'
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useCommands } from '../../state/commands.ts'
import { conversationsQuery, type ListFilter, loadMoreConversations } from '../../state/conversations.ts'
import { useApi } from '../../state/session.tsx'
import type { ConversationRow as Row } from '../../state/types.ts'
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

type Virtual = Virtualizer<HTMLDivElement, Element>

/** Whether the pointer is about to click: it is over the list and has moved recently. */
const usePointing = () => {
  const [isPointed, setPointed] = useState(false)
  const resting = useRef<ReturnType<typeof setTimeout>>(undefined)
  const onMove = (): void => {
    setPointed(true)
    clearTimeout(resting.current)
    resting.current = setTimeout(() => setPointed(false), POINTED_MS)
  }
  return { isPointed, onMove, onLeave: () => setPointed(false) }
}

/** Loads the next page when the rows shown come near the last one. */
const useNextPage = (filter: ListFilter, hasMore: boolean, lastShown: number, rowCount: number): void => {
  const api = useApi()
  const client = useQueryClient()
  const loading = useRef(false)
  const load = useCallback(async () => {
    if (loading.current) return
    loading.current = true
    await loadMoreConversations(client, api, filter).catch(toastError)
    loading.current = false
  }, [client, api, filter])
  useEffect(() => {
    if (hasMore && lastShown >= rowCount - LOAD_BEFORE_ROWS) void load()
  }, [hasMore, lastShown, rowCount, load])
}

/** J and K open the conversation after or before the open one. */
const useStepCommands = (rows: readonly Row[], virtual: Virtual, { openId, onOpen }: Props): void => {
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
}

export const ConversationList = (props: Props) => {
  const { filter, openId } = props
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery({
    ...conversationsQuery(useQueryClient(), useApi(), filter),
    placeholderData: filter.q ? keepPreviousData : undefined,
  })
  const scroller = useRef<HTMLDivElement>(null)
  const [isScrolled, setScrolled] = useState(false)
  const pointing = usePointing()
  const name = JSON.stringify(filter)
  const { rows, waitingCount } = useHeldOrder(data?.rows ?? NO_ROWS, isScrolled || pointing.isPointed, name)
  const scrollToTop = (): void => scroller.current?.scrollTo({ top: 0 })

  // biome-ignore lint/correctness/useExhaustiveDependencies: a different list starts at the top
  useEffect(() => {
    scrollToTop()
    setScrolled(false)
  }, [name])

  const virtual = useVirtualizer<HTMLDivElement, Element>({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 8,
  })
  const hasMore = Boolean(data?.nextCursor)
  const lastShown = virtual.getVirtualItems().at(-1)?.index ?? 0
  useNextPage(filter, hasMore && !isPlaceholderData, lastShown, rows.length)
  useStepCommands(rows, virtual, props)

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
        <WaitingPill
          count={waitingCount}
          onShow={() => {
            pointing.onLeave()
            scrollToTop()
          }}
        />
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the rows inside are links; this only moves focus among them */}
      <div
        ref={scroller}
        className={isScrolled ? 'list__scroller' : 'list__scroller list__scroller--still'}
        onScroll={(event) => setScrolled(event.currentTarget.scrollTop > 4)}
        onPointerMove={(event) => event.pointerType === 'mouse' && pointing.onMove()}
        onPointerLeave={pointing.onLeave}
        onKeyDown={onKeyDown}
      >
        {isPending ? (
          <SkeletonRows />
        ) : error && rows.length === 0 ? (
          <LoadProblem error={error} onRetry={() => void refetch()} />
        ) : rows.length === 0 && !hasMore ? (
          <NothingHere filter={filter} />
        ) : (
          <Rows rows={rows} virtual={virtual} hasMore={hasMore} filter={filter} openId={openId} />
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

const WaitingPill = ({ count, onShow }: { count: number; onShow: () => void }) => (
  <div className="list__pill">
    <Button size="small" variant="primary" icon={ArrowUp} onClick={onShow}>
      {count > 99 ? '99+' : count} new
    </Button>
  </div>
)

const Rows = ({
  rows,
  virtual,
  hasMore,
  filter,
  openId,
}: Pick<Props, 'filter' | 'openId'> & { rows: readonly Row[]; virtual: Virtual; hasMore: boolean }) => (
  <ul className="list__rows" style={{ height: virtual.getTotalSize() }} aria-label="Conversations">
    {virtual.getVirtualItems().map(({ index, start, key }) => {
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
)

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
