// The conversations behind a number of the AI agent's results.
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { dateTimeOf } from '../../state/dates.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { Episode, EpisodeKind, EpisodeList } from '../../state/types.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { t } from '../../words/t.ts'
import { handOverWords } from '../inbox/ai-words.ts'

export type EpisodeFilter = { days: number; kind: EpisodeKind; day?: string; reason?: string; title: string }

export const AiEpisodes = ({
  filter: { title, ...filter },
  onClose,
}: {
  filter: EpisodeFilter
  onClose: () => void
}) => {
  const api = useApi()
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: keys.aiEpisodes(api.workspaceId, filter),
    queryFn: ({ pageParam, signal }) =>
      api.get<EpisodeList>(
        '/ai-report/episodes',
        { ...filter, ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
  const episodes = data?.pages.flatMap(({ episodes }) => episodes)
  return (
    <Dialog title={title} isOpen isWide onClose={onClose}>
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !episodes ? (
        <Skeleton lines={4} />
      ) : (
        <ul className="stack">
          {episodes.map((episode) => (
            <li key={episode.id}>
              <Link
                to="/inbox/$view/$conversationId"
                params={{ view: 'all', conversationId: episode.conversationId }}
              >
                <bdi>{episode.contactName}</bdi>
              </Link>
              <p className="text-soft text-small">{wordsOf(episode).join(' · ')}</p>
            </li>
          ))}
        </ul>
      )}
      {hasNextPage && <LoadMore isBusy={isFetchingNextPage} onLoad={() => void fetchNextPage()} />}
    </Dialog>
  )
}

const CONFIRMED = { tap: t`customer tapped that it helped`, thanks: t`customer said thanks` }

const wordsOf = (episode: Episode): string[] => [
  dateTimeOf(episode.startedAt),
  ...(episode.answered === 0 ? [] : [episode.answered === 1 ? t`1 answer` : t`${episode.answered} answers`]),
  ...(episode.confirmedBy === null ? [] : [CONFIRMED[episode.confirmedBy]]),
  ...(episode.isAssumed ? [t`assumed helpful`] : []),
  ...(episode.handOverReason === null ? [] : [t`handed over: ${handOverWords(episode.handOverReason)}`]),
  ...(episode.reopenedAt === null ? [] : [t`back within 7 days`]),
  ...(episode.wrong === 0 ? [] : [t`marked as wrong`]),
  ...(episode.endedAt === null ? [t`not over yet`] : []),
]
