// The results of a search in the inbox, where the list otherwise is. They stay in place while they are read; what
// becomes of a conversation meanwhile shows in its row.
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useRef, useState } from 'react'
import { monthOf } from '../../state/dates.ts'
import type { ServerEvent } from '../../state/event-stream.ts'
import {
  type FoundPages,
  foundQuery,
  loadMoreFound,
  type FoundRow as Row,
  refreshFound,
} from '../../state/found.ts'
import { useEvents } from '../../state/live.ts'
import { usePreferences } from '../../state/preferences.ts'
import { useApi } from '../../state/session.tsx'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { SkeletonRows, Spinner } from '../../ui/spinner.tsx'
import { toastError } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { FoundRow } from './found-row.tsx'
import type { ListProps } from './list-props.ts'
import { NothingFound } from './nothing-found.tsx'
import SelectionBar from './selection-bar.tsx'
import SelectionKeys from './selection-keys.tsx'
import { useFirstRow, useListKeys } from './use-list-keys.ts'
import { useListScroll } from './use-list-scroll.ts'
import { useSelection } from './use-selection.ts'

const ROW_PX = 84
const COMPACT_ROW_PX = 64
const LOAD_BEFORE_ROWS = 10
const REFRESH_AFTER_MS = 700

const NO_ROWS: never[] = []

type Virtual = Virtualizer<HTMLDivElement, Element>

/** What others do to a conversation that is among the results. */
const useFreshRows = (rows: readonly Row[]): void => {
  const api = useApi()
  const client = useQueryClient()
  const shown = useRef(rows)
  shown.current = rows
  const waiting = useRef(new Map<string, ReturnType<typeof setTimeout>>())
  useEffect(() => {
    const { current } = waiting
    return () => {
      for (const timer of current.values()) clearTimeout(timer)
    }
  }, [])
  useEvents(
    useCallback(
      ({ type, conversationId: id }: ServerEvent) => {
        if (!id || !/^(conversation|message|contact)\./.test(type) || waiting.current.has(id)) return
        if (!shown.current.some((row) => row.id === id)) return
        const timer = setTimeout(() => {
          waiting.current.delete(id)
          // It may be one that this person no longer sees; the next search leaves it out.
          refreshFound(client, api, id).catch(() => {})
        }, REFRESH_AFTER_MS)
        waiting.current.set(id, timer)
      },
      [api, client],
    ),
  )
}

/** Loads the next page when the last rows come near. Older messages are only searched when asked for. */
const useMore = (filter: ListProps['filter'], data: FoundPages | undefined, lastShown: number) => {
  const api = useApi()
  const client = useQueryClient()
  const [isLoading, setLoading] = useState(false)
  const load = useCallback(async () => {
    if (isLoading) return
    setLoading(true)
    await loadMoreFound(client, api, filter).catch(toastError)
    setLoading(false)
  }, [client, api, filter, isLoading])
  const rowCount = data?.rows.length ?? 0
  const isPlain = Boolean(data?.nextCursor) && data?.searchedBackTo === null && rowCount > 0
  useEffect(() => {
    if (isPlain && lastShown >= rowCount - LOAD_BEFORE_ROWS) void load()
  }, [isPlain, lastShown, rowCount, load])
  return { isLoading, load }
}

const FoundList = ({ filter, openId, onOpen, wanted, onFocused }: ListProps) => {
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery({
    ...foundQuery(useQueryClient(), useApi(), filter),
    placeholderData: keepPreviousData,
  })
  const { isCompact } = usePreferences()
  const rowPx = isCompact ? COMPACT_ROW_PX : ROW_PX
  const scroller = useRef<HTMLDivElement>(null)
  const { view, q = '' } = filter
  const name = JSON.stringify({ ...filter, order: undefined })
  const rows = data?.rows ?? NO_ROWS
  useFreshRows(rows)
  const virtual = useVirtualizer<HTMLDivElement, Element>({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 8,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows have another height
  useEffect(() => virtual.measure(), [rowPx])
  const { isLoading, load } = useMore(
    filter,
    isPlaceholderData ? undefined : data,
    virtual.getVirtualItems().at(-1)?.index ?? 0,
  )
  const noteScroll = useListScroll(scroller, {
    name,
    isLoaded: rows.length > 0,
    isShown: openId === undefined,
  })
  const { focusRow, tabStop, onKeyDown, onFocus, here, step } = useListKeys({
    name,
    rows,
    virtual,
    scroller,
    view,
    openId,
    onOpen,
  })
  const { selectedIds, selected, onClickCapture } = useSelection(name, rows, openId)
  const isCurrent = !isPending && !isPlaceholderData
  useFirstRow(wanted === q && isCurrent, focusRow, onFocused)
  return (
    <>
      <SelectionKeys {...{ rows, view, here, step }} />
      {selected.length > 0 && <SelectionBar rows={selected} shown={rows} />}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the rows inside are links; this only moves focus among them */}
      <div
        ref={scroller}
        className={classNames('list__scroller', isPlaceholderData && 'list__scroller--stale')}
        onScroll={({ currentTarget }) => noteScroll(currentTarget)}
        onKeyDown={onKeyDown}
        onFocus={onFocus}
      >
        <p className="hidden-visually" role="status">
          {isCurrent && rows.length > 0 && countWords(rows.length, data)}
        </p>
        {isPending ? (
          <SkeletonRows />
        ) : error && rows.length === 0 ? (
          <LoadProblem error={error} onRetry={() => void refetch()} />
        ) : rows.length > 0 ? (
          <Rows
            {...{ rows, virtual, filter, openId, tabStop, selectedIds, onClickCapture }}
            hasMore={Boolean(data?.nextCursor)}
          />
        ) : (
          isCurrent && !data?.nextCursor && <NothingFound filter={filter} />
        )}
        {isCurrent && data?.nextCursor && (
          <More
            isLoading={isLoading}
            searchedBackTo={data.searchedBackTo}
            onMore={load}
            isAlone={rows.length === 0}
          />
        )}
      </div>
    </>
  )
}
export default FoundList

const countWords = (count: number, data: FoundPages | undefined): string => {
  if (data?.nextCursor) return t`${count} or more results`
  return count === 1 ? t`1 result` : t`${count} results`
}

const Rows = ({
  rows,
  virtual,
  hasMore,
  filter,
  openId,
  tabStop,
  selectedIds,
  onClickCapture,
}: Pick<ListProps, 'filter' | 'openId'> & {
  rows: readonly Row[]
  virtual: Virtual
  hasMore: boolean
  tabStop: string | undefined
} & Pick<ReturnType<typeof useSelection>, 'selectedIds' | 'onClickCapture'>) => (
  <ul
    className={classNames('list__rows', selectedIds.size > 0 && 'list__rows--selecting')}
    style={{ height: virtual.getTotalSize() }}
    aria-label={t`Search results`}
    onClickCapture={onClickCapture}
  >
    {virtual.getVirtualItems().map(({ index, start, key }) => {
      const row = rows[index]
      return (
        row && (
          <li
            key={key}
            data-index={index}
            className="list__row list__row--found"
            style={{ transform: `translateY(${start}px)` }}
            aria-posinset={index + 1}
            aria-setsize={hasMore ? -1 : rows.length}
          >
            <FoundRow
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

const More = ({
  isLoading,
  searchedBackTo,
  onMore,
  isAlone,
}: {
  isLoading: boolean
  searchedBackTo: string | null
  onMore: () => void
  /** Nothing was found so far. */
  isAlone: boolean
}) =>
  searchedBackTo === null && !isAlone ? (
    <div className="list__more" role="status" aria-label={t`Loading more`}>
      <Spinner />
    </div>
  ) : (
    <div className="list__more">
      <p className="text-soft text-small">
        {isAlone && t`Nothing found yet. `}
        {searchedBackTo === null
          ? t`Searched the most recent conversations`
          : t`Searched back to ${monthOf(searchedBackTo)}`}
      </p>
      <Button size="small" isBusy={isLoading} onClick={onMore}>
        {t`Continue`}
      </Button>
    </div>
  )
