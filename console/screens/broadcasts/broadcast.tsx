// One broadcast: its progress and the outcome for each recipient.

import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { countOf } from '../../state/amounts.ts'
import type { ApiError } from '../../state/api.ts'
import { dateTimeOf, fullMoment } from '../../state/dates.ts'
import { peopleCount } from '../../state/groups.ts'
import { useSession } from '../../state/session.tsx'
import type { Broadcast } from '../../state/types.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Banner } from '../../ui/banner.tsx'
import { ButtonLink, DownloadLink } from '../../ui/button.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Figures, Progress } from '../../ui/progress.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { rich, t } from '../../words/t.ts'
import { broadcastQuery, leftOf, partsOf, progressWords, resultsQuery, stateOf } from './broadcast-state.ts'
import { BroadcastControl } from './control.tsx'
import { Recipients } from './recipients.tsx'

const back = <BackLink to="/broadcasts">{t`Broadcasts`}</BackLink>

export const BroadcastPage = () => {
  const { broadcastId } = useParams({ from: '/signed/broadcasts/$broadcastId' })
  const { api } = useSession()
  const { data, error, refetch } = useQuery(broadcastQuery(api, broadcastId))
  if (data) return <Loaded key={broadcastId} broadcast={data.broadcast} />
  return (
    <Page title={t`Broadcast`} back={back}>
      {(error as ApiError | null)?.status === 404 ? (
        <EmptyState
          title={t`Broadcast not found`}
          action={<ButtonLink to="/broadcasts">{t`All broadcasts`}</ButtonLink>}
        >
          {t`It may belong to another workspace.`}
        </EmptyState>
      ) : error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={6} label={t`Loading broadcast`} />
      )}
    </Page>
  )
}

const Loaded = ({ broadcast }: { broadcast: Broadcast }) => {
  const { api, can } = useSession()
  const {
    id,
    name,
    scheduledAt,
    canceledAt,
    pausedAt,
    status,
    groupId,
    groupName,
    templateName,
    templateLanguage,
    createdAt,
  } = broadcast
  const left = leftOf(broadcast)
  const state = stateOf(broadcast)
  const { data: results } = useQuery(resultsQuery(api, id))
  return (
    <Page
      back={back}
      title={
        <span className="row row--wrap">
          <span className="title-text">{name ? <bdi>{name}</bdi> : templateName}</span>
          <span role="status">
            <Badge tone={state.tone}>{state.text}</Badge>
          </span>
        </span>
      }
      about={
        <>
          {name && `${templateName} `}
          {rich`${templateLanguage} to`}{' '}
          {groupId && groupName && can('manage_groups') ? (
            <Link to="/groups/$groupId" params={{ groupId }}>
              <bdi>{groupName}</bdi>
            </Link>
          ) : (
            <bdi>{groupName ?? t`a list of people`}</bdi>
          )}
          {scheduledAt
            ? rich`, created ${(
                <time dateTime={createdAt} title={fullMoment(createdAt)}>
                  {dateTimeOf(createdAt)}
                </time>
              )}, scheduled for ${(
                <time dateTime={scheduledAt} title={fullMoment(scheduledAt)}>
                  {dateTimeOf(scheduledAt)}
                </time>
              )}`
            : rich`, started ${(
                <time dateTime={createdAt} title={fullMoment(createdAt)}>
                  {dateTimeOf(createdAt)}
                </time>
              )}`}
        </>
      }
      actions={
        <>
          {status === 'sending' && !canceledAt && <BroadcastControl broadcast={broadcast} />}
          <DownloadLink icon={Download} href={api.url(`/broadcasts/${id}/recipients.csv`)}>
            {t`Export CSV`}
          </DownloadLink>
        </>
      }
    >
      {canceledAt && (
        <Banner tone="warn">
          {broadcast.sentCount === 0
            ? t`Canceled before anyone was sent the message.`
            : t`Canceled ${dateTimeOf(canceledAt)}. ${peopleCount(broadcast.sentCount)} had been sent the message; everyone else was skipped.`}
        </Banner>
      )}
      {pausedAt && !canceledAt && (
        <Banner tone="warn">
          {t`Paused. ${peopleCount(left)} will be sent the message once you resume it.`}
        </Banner>
      )}
      <Section title={t`Progress`}>
        <Progress
          label={t`Progress`}
          total={broadcast.totalRecipients}
          parts={partsOf(broadcast)}
          text={progressWords(broadcast)}
        />
        <Figures
          figures={[
            { label: t`Recipients`, value: countOf(broadcast.totalRecipients) },
            { label: t`Sent`, value: countOf(broadcast.sentCount) },
            {
              label: t`Failed`,
              value: countOf(broadcast.failedCount),
              tone: broadcast.failedCount > 0 ? 'danger' : undefined,
            },
            ...(status === 'sending' || left === 0
              ? [{ label: t`Remaining`, value: countOf(left) }]
              : [{ label: t`Unconfirmed`, value: countOf(left) }]),
            { label: t`Skipped`, value: countOf(broadcast.skippedCount) },
            ...(results
              ? [
                  { label: t`Delivered`, value: countOf(results.delivered) },
                  { label: t`Read`, value: countOf(results.read) },
                  { label: t`Replied`, value: countOf(results.answered) },
                ]
              : []),
          ]}
        />
      </Section>
      <Recipients broadcast={broadcast} />
    </Page>
  )
}
