// An article or answer, to be written and published.
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { BookOpen } from 'lucide-react'
import type { ApiError } from '../../state/api.ts'
import { type KnowledgeKind, knowledgeItemQuery } from '../../state/knowledge.ts'
import { useApi } from '../../state/session.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
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
  if (data || isNew) return <ItemEditor key={`${kind} ${itemId}`} kind={kind} item={data ?? null} />
  const { one } = KIND_WORDS[kind]
  const title = `${one.charAt(0).toUpperCase()}${one.slice(1)}`
  return (
    <Page title={title} back={<BackLink to="/knowledge">Knowledge</BackLink>} isNarrow>
      {(error as ApiError | null)?.status === 404 ? (
        <EmptyState
          icon={BookOpen}
          title={`${title} not found`}
          action={<ButtonLink to="/knowledge">All knowledge</ButtonLink>}
        >
          It may have been deleted.
        </EmptyState>
      ) : error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={8} label={`Loading ${one}`} />
      )}
    </Page>
  )
}
