// All broadcasts with their progress, updated by live events.
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Megaphone, Plus } from 'lucide-react'
import { useCommands } from '../../state/commands.ts'
import { fullMoment, shortMoment } from '../../state/dates.ts'
import { useApi } from '../../state/session.tsx'
import type { Broadcast } from '../../state/types.ts'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { LoadMore, Page } from '../../ui/page.tsx'
import { Progress } from '../../ui/progress.tsx'
import { SkeletonRows } from '../../ui/spinner.tsx'
import { t } from '../../words/t.ts'
import { broadcastsQuery, partsOf, progressWords, stateOf } from './broadcast-state.ts'

const COLUMNS: Column<Broadcast>[] = [
  {
    id: 'template',
    head: t`Broadcast`,
    width: '34%',
    cell: ({ id, name, templateName, templateLanguage }) => (
      <span>
        <Link to="/broadcasts/$broadcastId" params={{ broadcastId: id }}>
          {name ? <bdi>{name}</bdi> : templateName}
        </Link>{' '}
        <span className="text-soft">
          {name && `${templateName} `}
          {templateLanguage}
        </span>
      </span>
    ),
  },
  {
    id: 'audience',
    head: t`:recipient:To`,
    cell: ({ groupName }) =>
      groupName ? <bdi>{groupName}</bdi> : <span className="text-soft">{t`A list`}</span>,
  },
  {
    id: 'status',
    head: t`Status`,
    cell: (broadcast) => {
      const { tone, text } = stateOf(broadcast)
      return <Badge tone={tone}>{text}</Badge>
    },
  },
  {
    id: 'progress',
    head: t`Progress`,
    isNameless: true,
    width: '26%',
    cell: (broadcast) => (
      <div className="progress-cell">
        <Progress
          label={t`Progress of ${broadcast.templateName}`}
          total={broadcast.totalRecipients}
          parts={partsOf(broadcast)}
          text={progressWords(broadcast)}
        />
        <span className="text-soft text-small numeric">{progressWords(broadcast)}</span>
      </div>
    ),
  },
  {
    id: 'when',
    head: t`Started`,
    align: 'end',
    cell: ({ createdAt }) => (
      <time dateTime={createdAt} title={fullMoment(createdAt)}>
        {shortMoment(createdAt)}
      </time>
    ),
  },
]

export const Broadcasts = () => {
  const api = useApi()
  const navigate = useNavigate()
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    broadcastsQuery(api),
  )
  const rows = data?.pages.flatMap(({ broadcasts }) => broadcasts)
  useCommands([
    {
      id: 'new broadcast',
      label: t`New broadcast`,
      group: t`Broadcasts`,
      keys: 'n',
      icon: Plus,
      run: () => void navigate({ to: '/broadcasts/new' }),
    },
  ])
  const start = (
    <ButtonLink variant="primary" icon={Plus} to="/broadcasts/new">
      {t`New broadcast`}
    </ButtonLink>
  )
  return (
    <Page
      title={t`Broadcasts`}
      about={t`Send a WhatsApp template to many people at once.`}
      actions={rows && rows.length > 0 && start}
    >
      {error && !rows ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !rows ? (
        <SkeletonRows rows={5} />
      ) : (
        <DataTable
          label={t`Broadcasts`}
          columns={COLUMNS}
          rows={rows}
          keyOf={({ id }) => id}
          onOpen={({ id }) => void navigate({ to: '/broadcasts/$broadcastId', params: { broadcastId: id } })}
          empty={
            <EmptyState icon={Megaphone} title={t`No broadcasts yet`} action={start}>
              {t`Choose an audience and a template, review the recipients, and send.`}
            </EmptyState>
          }
        />
      )}
      {hasNextPage && <LoadMore isBusy={isFetchingNextPage} onLoad={() => void fetchNextPage()} />}
    </Page>
  )
}
