import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { ArrowUp } from 'lucide-react'
import {
  lazy,
  type MouseEvent,
  type RefObject,
  Suspense,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react'
import {
  conversationsQuery,
  detailsQuery,
  type ListFilter,
  loadMoreConversations,
} from '../../state/conversations.ts'
import { usePreferences } from '../../state/preferences.ts'
import { useApi } from '../../state/session.tsx'
import type { ConversationRow as Row } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { SkeletonRows, Spinner } from '../../ui/spinner.tsx'
import { toastError } from '../../ui/toast.tsx'
import { rich, t } from '../../words/t.ts'
import { ConversationRow } from './conversation-row.tsx'
import { useHeldOrder } from './held-order.ts'
import { ListHead } from './list-head.tsx'
import type { ListProps, ShownList } from './list-props.ts'
import { focusThread, threadId, useFirstRow, useListKeys } from './use-list-keys.ts'
import { useListScroll } from './use-list-scroll.ts'
import { useSelection } from './use-selection.ts'

const SelectionBar = lazy(() => import('./selection-bar.tsx'))
const SelectionKeys = lazy(() => import('./selection-keys.tsx'))

const SETTLED_MS = 800
const ROW_PX = 72
const COMPACT_ROW_PX = 48
const LOAD_BEFORE_ROWS = 20
/** The open conversation's row is looked for among this many. */
const SOUGHT_ROWS_MAX = 500
/** A pointer that has not moved for this long is not about to click. */
const POINTED_MS = 3_000

const FoundList = lazy(() => import('./found-list.tsx'))
const NothingHere = lazy(() => import('./nothing-here.tsx'))

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
const useNextPage = (filter: ListFilter, hasMore: boolean, lastShown: number, rowCount: number) => {
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
  return hasMore ? load : undefined
}

/** After a reload only the first page is there: loads more until the open conversation's row is, and shows it once. */
const useOpenRow = (
  rows: readonly Row[],
  openId: string | undefined,
  virtual: Virtual,
  load: (() => void) | undefined,
) => {
  const sought = useRef<string>(undefined)
  const { data } = useQuery({ ...detailsQuery(useApi(), openId ?? ''), enabled: openId !== undefined })
  useEffect(() => {
    const last = rows.at(-1)
    if (!openId || !last || sought.current === openId) return
    const index = rows.findIndex(({ id }) => id === openId)
    if (index === -1 && load && rows.length < SOUGHT_ROWS_MAX) {
      if (data && data.conversation.updatedAt <= last.updatedAt) load()
      return
    }
    sought.current = openId
    // On a phone, the list is not shown next to it.
    if (index !== -1 && virtual.scrollElement?.clientHeight) virtual.scrollToIndex(index, { align: 'auto' })
  }, [rows, openId, virtual, load, data])
}

const useVirtualRows = (
  rows: readonly Row[],
  scroller: RefObject<HTMLDivElement | null>,
  rowPx: number,
): Virtual => {
  const virtual = useVirtualizer<HTMLDivElement, Element>({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 8,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows have another height
  useEffect(() => virtual.measure(), [rowPx])
  return virtual
}

/** Later than the list itself, for what it is drawn without. */
const useSettled = (): boolean => {
  const [isSettled, setSettled] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [])
  return isSettled
}

export const ConversationList = (props: ShownList) => {
  const { filter, openId } = props
  const { isCompact } = usePreferences()
  const [wanted, setWanted] = useState<string | null>(null)
  const onFocused = useCallback(() => setWanted(null), [])
  return (
    <section className={isCompact ? 'list list--compact' : 'list'} aria-label={t`Conversations`}>
      {openId && (
        <a
          className="skip"
          href={`#${threadId(openId)}`}
          onClick={(event) => {
            event.preventDefault()
            focusThread(openId)
          }}
        >
          {t`Skip to conversation`}
        </a>
      )}
      <ListHead filter={filter} onLeaveSearch={setWanted} />
      {filter.q ? (
        <Suspense fallback={<SkeletonRows />}>
          <FoundList {...props} wanted={wanted} onFocused={onFocused} />
        </Suspense>
      ) : (
        <BrowsedList {...props} wanted={wanted} onFocused={onFocused} />
      )}
    </section>
  )
}

const BrowsedList = ({ filter, openId, onOpen, wanted, onFocused }: ListProps) => {
  const { data, error, isPending, refetch } = useQuery(conversationsQuery(useQueryClient(), useApi(), filter))
  const { isCompact } = usePreferences()
  const scroller = useRef<HTMLDivElement>(null)
  const [isScrolled, setScrolled] = useState(false)
  const pointing = usePointing()
  const name = JSON.stringify(filter)
  const { rows, waitingCount } = useHeldOrder(data?.rows ?? NO_ROWS, isScrolled || pointing.isPointed, name)
  const scrollToTop = (): void => scroller.current?.scrollTo({ top: 0 })

  const virtual = useVirtualRows(rows, scroller, isCompact ? COMPACT_ROW_PX : ROW_PX)
  const hasMore = Boolean(data?.nextCursor)
  const lastShown = virtual.getVirtualItems().at(-1)?.index ?? 0
  const load = useNextPage(filter, hasMore, lastShown, rows.length)
  const noteScroll = useListScroll(scroller, {
    name,
    isLoaded: rows.length > 0,
    isShown: openId === undefined,
  })
  useOpenRow(rows, openId, virtual, load)
  const { view } = filter
  const { focusRow, tabStop, onKeyDown, onFocus, here, step } = useListKeys({
    name,
    rows,
    virtual,
    scroller,
    view,
    openId,
    onOpen,
  })
  useFirstRow(wanted === '' && !isPending, focusRow, onFocused)

  const { selectedIds, selected, onClickCapture } = useSelection(name, rows, openId)
  const isSettled = useSettled()

  return (
    <>
      <Suspense>{isSettled && rows.length > 0 && <SelectionKeys {...{ rows, view, here, step }} />}</Suspense>
      <Suspense>{selected.length > 0 && <SelectionBar rows={selected} shown={rows} />}</Suspense>
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
        onScroll={({ currentTarget }) => {
          setScrolled(currentTarget.scrollTop > 4)
          noteScroll(currentTarget)
        }}
        onPointerMove={(event) => event.pointerType === 'mouse' && pointing.onMove()}
        onPointerLeave={pointing.onLeave}
        onKeyDown={onKeyDown}
        onFocus={onFocus}
      >
        {isPending ? (
          <SkeletonRows />
        ) : error && rows.length === 0 ? (
          <LoadProblem error={error} onRetry={() => void refetch()} />
        ) : rows.length === 0 && !hasMore ? (
          <Suspense>
            <NothingHere filter={filter} />
          </Suspense>
        ) : (
          <Rows
            rows={rows}
            virtual={virtual}
            hasMore={hasMore}
            filter={filter}
            openId={openId}
            tabStop={tabStop}
            selectedIds={selectedIds}
            onClickCapture={onClickCapture}
          />
        )}
        {hasMore && !isPending && (
          <div className="list__more" role="status" aria-label={t`Loading more`}>
            <Spinner />
          </div>
        )}
      </div>
    </>
  )
}

const WaitingPill = ({ count, onShow }: { count: number; onShow: () => void }) => (
  <div className="list__pill">
    <Button size="small" variant="primary" icon={ArrowUp} onClick={onShow}>
      {rich`${count > 99 ? '99+' : count} new`}
    </Button>
  </div>
)

const Rows = ({
  rows,
  virtual,
  hasMore,
  filter,
  openId,
  tabStop,
  selectedIds,
  onClickCapture,
}: Pick<ShownList, 'filter' | 'openId'> & {
  rows: readonly Row[]
  virtual: Virtual
  hasMore: boolean
  tabStop: string | undefined
  selectedIds: ReadonlySet<string>
  onClickCapture: (event: MouseEvent) => void
}) => (
  <ul
    className={classNames('list__rows', selectedIds.size > 0 && 'list__rows--selecting')}
    style={{ height: virtual.getTotalSize() }}
    aria-label={t`Conversations`}
    onClickCapture={onClickCapture}
  >
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
            <ConversationRow
              row={row}
              filter={filter}
              isOpen={row.id === openId}
              isTabStop={row.id === tabStop}
              isSelected={selectedIds.has(row.id)}
            />
          </li>
        )
      )
    })}
  </ul>
)

const NO_ROWS: never[] = []
