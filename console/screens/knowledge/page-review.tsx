// What has changed on a page, to be published or dismissed.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ApiError } from '../../state/api.ts'
import { knowledgeChanged } from '../../state/knowledge.ts'
import { useApi } from '../../state/session.tsx'
import { type PageChange, pageChangeQuery, reviewPage, type SourcePage } from '../../state/sources.ts'
import { Button } from '../../ui/button.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { Dialog } from '../../ui/lazy-dialogs.ts'
import { Skeleton } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { compareTexts, type Line } from './compare-texts.ts'

type Decision = 'publish' | 'dismiss'

export const PageReview = ({
  sourceId,
  page,
  onClose,
}: {
  sourceId: string
  page: SourcePage
  onClose: () => void
}) => {
  const api = useApi()
  const client = useQueryClient()
  const { data, error, refetch } = useQuery(pageChangeQuery(api, sourceId, page.id))
  const review = useMutation<unknown, ApiError, { decision: Decision; changedAt: string }>({
    mutationFn: (given) => reviewPage(api, sourceId, page.id, given),
    onSuccess: async (_, { decision }) => {
      toast(decision === 'publish' ? t`Published` : t`Dismissed`)
      onClose()
      await knowledgeChanged(client, api.workspaceId)
    },
    onError: ({ code }) => {
      // Another text waits by now: it is shown instead.
      if (code === 'KNOWLEDGE_CHANGED') void knowledgeChanged(client, api.workspaceId)
    },
  })
  const decide = (decision: Decision) => data && review.mutate({ decision, changedAt: data.changedAt })
  return (
    <Dialog
      isOpen
      title={data?.before === null ? t`New page` : t`What changed`}
      about={data?.before === null ? t`Publish it to let the AI agent use it.` : undefined}
      onClose={onClose}
      isWide
      foot={
        <>
          <Button disabled={!data || review.isPending} onClick={() => decide('dismiss')}>
            {data?.before === null ? t`Dismiss` : t`Keep current text`}
          </Button>
          <Button
            variant="primary"
            disabled={!data}
            isBusy={review.isPending}
            onClick={() => decide('publish')}
          >
            {data?.before === null ? t`Publish` : t`Publish new text`}
          </Button>
        </>
      }
    >
      {review.error && (
        <p role="alert" className="text-danger">
          {review.error.message}
        </p>
      )}
      {data ? (
        <Comparison change={data} />
      ) : error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={6} label={t`Loading the change`} />
      )}
    </Dialog>
  )
}

const withTitle = ({ title, body }: { title: string; body: string }): string => `${title}\n${body}`

const LINE_WORDS: Record<Line['is'], string | null> = { same: null, removed: t`Removed:`, added: t`Added:` }

const Comparison = ({ change: { before, after } }: { change: PageChange }) => (
  <div className="text-changes" dir="auto">
    {compareTexts(before ? withTitle(before) : '', withTitle(after)).map(({ is, text }, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the lines of two texts never move
      <p key={at} className={`text-changes__line text-changes__line--${is}`}>
        {LINE_WORDS[is] && <span className="hidden-visually">{LINE_WORDS[is]} </span>}
        {text}
      </p>
    ))}
  </div>
)
