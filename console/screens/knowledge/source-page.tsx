// A website or file: its pages, and what has changed on them.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { Globe, RefreshCw, Settings, Trash2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { ApiError } from '../../state/api.ts'
import { knowledgeChanged } from '../../state/knowledge.ts'
import { useSession } from '../../state/session.tsx'
import {
  type SourcePage as PageOfSource,
  readAgain,
  removeSource,
  replaceFile,
  type Source,
  type SourceDetails,
  sourceQuery,
} from '../../state/sources.ts'
import { uploadFile } from '../../state/upload-file.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Item, ItemList } from '../../ui/item-list.tsx'
import { DeleteDialog } from '../../ui/lazy-dialogs.ts'
import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { t } from '../../words/t.ts'
import { FileField } from './file-field.tsx'
import { PageReview } from './page-review.tsx'
import { aboutSource, pageState, stateOf } from './source-words.ts'

const BACK = <BackLink to="/knowledge">{t`Knowledge`}</BackLink>

export const SourcePage = () => {
  const { api } = useSession()
  const { sourceId } = useParams({ from: '/signed/knowledge/sources/$sourceId' })
  const { data, error, refetch } = useQuery(sourceQuery(api, sourceId))
  if (data) return <Details key={sourceId} {...data} />
  return (
    <Page title={t`Website or file`} back={BACK}>
      {(error as ApiError | null)?.status === 404 ? (
        <EmptyState
          icon={Globe}
          title={t`Website or file not found`}
          action={<ButtonLink to="/knowledge">{t`All knowledge`}</ButtonLink>}
        >
          {t`It may have been removed.`}
        </EmptyState>
      ) : error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={8} label={t`Loading pages`} />
      )}
    </Page>
  )
}

const Details = ({ source, pages }: SourceDetails) => {
  const { can } = useSession()
  const { tone, label } = stateOf(source)
  return (
    <Page
      back={BACK}
      title={
        <span className="row row--wrap">
          <bdi className="title-text">{source.name}</bdi>
          <Badge tone={tone}>{label}</Badge>
        </span>
      }
      about={source.problem ? undefined : aboutSource(source)}
      actions={can('manage_knowledge') && <Actions source={source} />}
    >
      {source.problem && <Banner tone="danger">{source.problem.message}</Banner>}
      {pages.length > 0 && (
        <ItemList label={source.type === 'file' ? t`Articles` : t`Pages`}>
          {pages.map((page) => (
            <PageRow key={page.id} source={source} page={page} />
          ))}
        </ItemList>
      )}
    </Page>
  )
}

const Actions = ({ source }: { source: Source }) => {
  const { api } = useSession()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [isRemoving, setRemoving] = useState(false)
  const changed = () => knowledgeChanged(client, api.workspaceId)
  const again = useMutation<Source, ApiError>({
    mutationFn: () => readAgain(api, source.id),
    onSuccess: changed,
  })
  const replace = useMutation<Source, Error, File>({
    mutationFn: async (file) => {
      const { id } = await uploadFile(api, file, () => {}, new AbortController().signal)
      return replaceFile(api, source.id, id)
    },
    onSuccess: changed,
  })
  const problem = again.error ?? replace.error
  return (
    <>
      {source.type === 'file' ? (
        <FileField
          label={t`Upload new version`}
          isBusy={replace.isPending}
          onFiles={([file]) => file && replace.mutate(file)}
        />
      ) : (
        <Button
          icon={RefreshCw}
          isBusy={again.isPending}
          disabled={source.state === 'reading'}
          onClick={() => again.mutate()}
        >
          {t`Read again`}
        </Button>
      )}
      <ButtonLink icon={Settings} to="/knowledge/sources/$sourceId/settings" params={{ sourceId: source.id }}>
        {t`Settings`}
      </ButtonLink>
      <Button icon={Trash2} onClick={() => setRemoving(true)}>
        {t`Delete`}
      </Button>
      {problem && (
        <span role="alert" className="text-danger">
          {problem.message}
        </span>
      )}
      <Suspense>
        {isRemoving && (
          <DeleteDialog
            what={source.type === 'file' ? t`file` : t`website`}
            name={source.name}
            about={t`Its articles are deleted too. The AI agent won’t use them any more.`}
            onClose={() => setRemoving(false)}
            onDelete={async () => {
              await removeSource(api, source.id)
              await navigate({ to: '/knowledge' })
              await changed()
            }}
          />
        )}
      </Suspense>
    </>
  )
}

const PageRow = ({ source, page }: { source: Source; page: PageOfSource }) => {
  const { can } = useSession()
  const [isReviewing, setReviewing] = useState(false)
  const { tone, label } = pageState(page)
  const name = page.title ?? (source.type === 'file' ? t`Part ${page.location}` : page.location)
  return (
    <>
      <Item
        title={
          <>
            {page.articleId ? (
              <Link to="/knowledge/$kind/$itemId" params={{ kind: 'articles', itemId: page.articleId }}>
                <bdi>{name}</bdi>
              </Link>
            ) : (
              <bdi>{name}</bdi>
            )}
            <Badge tone={tone}>{label}</Badge>
          </>
        }
        about={
          <>
            {source.type !== 'file' && page.title !== null && <bdi className="truncate">{page.location}</bdi>}
            {page.problem && <div>{page.problem.message}</div>}
          </>
        }
        actions={
          page.hasChange &&
          can('manage_knowledge') && (
            <Button size="small" onClick={() => setReviewing(true)}>
              {t`Review change`}
            </Button>
          )
        }
      />
      {isReviewing && (
        <Suspense>
          <PageReview sourceId={source.id} page={page} onClose={() => setReviewing(false)} />
        </Suspense>
      )}
    </>
  )
}
