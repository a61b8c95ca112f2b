// An article or answer, to be written and published.
import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { BookOpen } from 'lucide-react'
import { useState } from 'react'
import type { ApiError } from '../../state/api.ts'
import { type Gap, gapOfReplyQuery, gapsQuery } from '../../state/gaps.ts'
import { type KnowledgeKind, knowledgeItemQuery } from '../../state/knowledge.ts'
import { useApi } from '../../state/session.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { t } from '../../words/t.ts'
import { ItemEditor } from './item-editor.tsx'
import { KIND_WORDS } from './words.ts'

export const EditItem = () => {
  const api = useApi()
  const params = useParams({ from: '/signed/knowledge/$kind/$itemId' })
  // The route admits no others.
  const kind = params.kind as KnowledgeKind
  const { itemId } = params
  const isNew = itemId === 'new'
  const { data, error, refetch } = useQuery({ ...knowledgeItemQuery(api, kind, itemId), enabled: !isNew })
  const { gap: gapId, reply: replyId } = useSearch({ from: '/signed/knowledge/$kind/$itemId' })
  const hasGap = isNew && kind === 'answers' && gapId !== undefined
  const gaps = useQuery({ ...gapsQuery(api), enabled: hasGap })
  const gap = gaps.data?.find(({ turnIds }) => gapId !== undefined && turnIds.includes(gapId)) ?? null
  // Once it is open, a gap that has grown meanwhile doesn't change what is being written.
  const [opened, setOpened] = useState<Gap | null>(null)
  if (hasGap && gap && !opened?.turnIds.includes(gapId)) setOpened(gap)
  const isOfReply = isNew && kind === 'answers' && !hasGap && replyId !== undefined
  const answered = useQuery({
    ...gapOfReplyQuery(api, replyId ?? ''),
    enabled: isOfReply,
    // What is being written from it stays.
    staleTime: Number.POSITIVE_INFINITY,
  })
  const isLoading = (hasGap && gaps.isPending) || (isOfReply && answered.isPending)
  if (data || (isNew && !isLoading))
    return (
      <ItemEditor
        key={`${kind} ${itemId} ${gapId} ${replyId}`}
        kind={kind}
        item={data ?? null}
        gap={hasGap ? (opened ?? gap) : (answered.data?.gap ?? null)}
        origin={isOfReply ? replyId : gapId}
        personal={answered.data?.personal ?? []}
      />
    )
  const { one } = KIND_WORDS[kind]
  const title = `${one.charAt(0).toUpperCase()}${one.slice(1)}`
  return (
    <Page title={title} back={<BackLink to="/knowledge">{t`Knowledge`}</BackLink>} isNarrow>
      {(error as ApiError | null)?.status === 404 ? (
        <EmptyState
          icon={BookOpen}
          title={t`${title} not found`}
          action={<ButtonLink to="/knowledge">{t`All knowledge`}</ButtonLink>}
        >
          {t`It may have been deleted.`}
        </EmptyState>
      ) : error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={8} label={t`Loading ${one}`} />
      )}
    </Page>
  )
}
