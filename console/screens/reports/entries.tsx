// The conversations behind a figure of a report.

import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ChannelName } from '../../../channels/names.ts'
import { dateTimeOf } from '../../state/dates.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { Figure, ReportEntry, ReportEntryList } from '../../state/types.ts'
import { ChannelIcon } from '../../ui/badge.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { t } from '../../words/t.ts'
import { tookWords } from './words.ts'

export type EntriesFilter = {
  figure: Figure
  from: string
  to: string
  channel?: ChannelName
  person?: string
  team?: string
  weekday?: number
  hour?: number
  rating?: number
  reply?: 'first' | 'next'
  broadcast?: string
  title: string
}

export const Entries = ({
  filter: { title, ...filter },
  onClose,
}: {
  filter: EntriesFilter
  onClose: () => void
}) => {
  const api = useApi()
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: keys.reportEntries(api.workspaceId, filter),
    queryFn: ({ pageParam, signal }) =>
      api.get<ReportEntryList>(
        '/reports/entries',
        { ...filter, ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
  const entries = data?.pages.flatMap((page) => page.entries)
  return (
    <Dialog title={title} isOpen isWide onClose={onClose}>
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !entries ? (
        <Skeleton lines={4} />
      ) : entries.length === 0 ? (
        <EmptyState title={t`Nothing to show`}>
          {t`These conversations were deleted, or you don’t have permission to see them.`}
        </EmptyState>
      ) : (
        <ul className="stack">
          {entries.map((entry) => (
            <li key={entry.id} className="row">
              <ChannelIcon channel={entry.channel} />
              <div className="grow">
                <Link
                  to="/inbox/$view/$conversationId"
                  params={{ view: 'all', conversationId: entry.conversationId }}
                  search={entry.messageId === null ? {} : { at: entry.messageId }}
                >
                  <bdi>{entry.contactName}</bdi>
                </Link>
                <p className="text-soft text-small">{wordsOf(entry).join(' · ')}</p>
                {entry.comment !== null && (
                  <p className="user-text" dir="auto">
                    {entry.comment}
                  </p>
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
      {hasNextPage && <LoadMore isBusy={isFetchingNextPage} onLoad={() => void fetchNextPage()} />}
    </Dialog>
  )
}

const wordsOf = ({ at, tookMs, countedMs, isUnanswered, rating }: ReportEntry): string[] => [
  dateTimeOf(at),
  ...(isUnanswered ? [t`closed without a reply`] : []),
  ...(tookMs === null ? [] : [t`after ${tookWords(tookMs)}`]),
  ...(countedMs === null ? [] : [t`${tookWords(countedMs)} counted toward the target`]),
  ...(rating === null ? [] : [t`rated ${rating} of 5`]),
]
