import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { countOf } from '../../state/amounts.ts'
import type { ApiError } from '../../state/api.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { Audience, Preview, RichTemplate } from '../../state/types.ts'
import { Badge } from '../../ui/badge.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Section } from '../../ui/page.tsx'
import { Figures } from '../../ui/progress.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { rich, t } from '../../words/t.ts'
import { WhoLink } from '../contacts/contact-who.tsx'
import { reasonWords } from './broadcast-state.ts'
import type { Draft } from './draft.ts'
import { Step } from './step.tsx'

const ROW = /^audience\.recipients\[(\d+)\]/

/** The current recipients. A number stands for the draft in the key: the audience may be ten thousand rows. */
export const useAudiencePreview = ({
  draft,
  audience,
  template,
  isWanted,
}: {
  draft: Draft
  audience: Audience | null
  template: RichTemplate | undefined
  isWanted: boolean
}): UseQueryResult<Preview> => {
  const api = useApi()
  const [revisions] = useState(() => new WeakMap<Draft, string>())
  const revision = revisions.get(draft) ?? crypto.randomUUID()
  revisions.set(draft, revision)
  return useQuery({
    queryKey: keys.broadcastPreview(api.workspaceId, revision),
    queryFn: ({ signal }) =>
      api.post<Preview>(
        '/broadcasts/preview',
        { audience, templateName: template!.name, language: template!.language },
        { signal },
      ),
    enabled: isWanted && audience !== null && template !== undefined,
    gcTime: 60_000,
  })
}

type Sampled = Preview['sample'][number]

const COLUMNS: Column<Sampled>[] = [
  {
    id: 'name',
    head: t`Name`,
    width: '40%',
    cell: ({ contactId, name }) => <WhoLink id={contactId} name={name} target="_blank" />,
  },
  {
    id: 'phone',
    head: t`Phone`,
    cell: ({ phone, name }) => (phone && phone !== name ? <span className="numeric">{phone}</span> : null),
  },
  {
    id: 'reached',
    head: t`Status`,
    isNameless: true,
    cell: ({ reason }) =>
      reason === null ? (
        <Badge tone="ok">{t`Will receive`}</Badge>
      ) : (
        <span className="row row--wrap">
          <Badge tone="warn">{t`Skipped`}</Badge>
          <span className="text-soft">{reasonWords(reason)}</span>
        </span>
      ),
  },
]

export const PreviewStep = ({
  draft,
  preview: { data, error, isFetching, refetch },
  onBack,
  onNext,
}: {
  draft: Draft
  preview: UseQueryResult<Preview>
  onBack: () => void
  onNext: (() => void) | undefined
}) => (
  <Step
    title={t`Review recipients`}
    about={t`Nothing has been sent yet.`}
    nextLabel={t`Continue`}
    onBack={onBack}
    onNext={onNext}
    hint={data && data.reachable === 0 ? t`No one in this audience can be reached.` : null}
  >
    {error ? (
      <Refused error={error} draft={draft} onRetry={() => void refetch()} isBusy={isFetching} />
    ) : !data ? (
      <Skeleton lines={6} label={t`Loading recipients`} />
    ) : (
      <>
        <Section>
          <Figures
            figures={[
              { label: t`Will receive`, value: countOf(data.reachable) },
              { label: t`Skipped`, value: countOf(data.total - data.reachable) },
              { label: t`Audience`, value: countOf(data.total) },
            ]}
          />
          {data.leftOut.length > 0 && (
            <ul className="stack stack--tight" aria-label={t`Why people are skipped`}>
              {data.leftOut.map(({ reason, count }) => (
                <li key={reason} className="row row--top">
                  <Badge tone="warn">{countOf(count)}</Badge>
                  <span>{reasonWords(reason)}</span>
                </li>
              ))}
            </ul>
          )}
        </Section>
        {data.sample.length > 0 && (
          <>
            <DataTable
              label={t`People in the audience`}
              columns={COLUMNS}
              rows={data.sample}
              keyOf={({ contactId }) => contactId}
            />
            {data.total > data.sample.length && (
              <p className="text-soft text-small">
                {rich`Showing ${data.sample.length} of ${countOf(data.total)}.`}
              </p>
            )}
          </>
        )}
      </>
    )}
  </Step>
)

/** Shows the server's row errors by line number. */
const Refused = ({
  error,
  draft,
  isBusy,
  onRetry,
}: {
  error: unknown
  draft: Draft
  isBusy: boolean
  onRetry: () => void
}) => (
  <Banner
    tone="danger"
    action={
      <Button size="small" isBusy={isBusy} onClick={onRetry}>
        {t`Try again`}
      </Button>
    }
  >
    <RefusalWords error={error} draft={draft} />
  </Banner>
)

const SAID_MAX = 10
const FIELDS: Record<string, string> = {
  templateName: t`The template`,
  headerAttachmentId: t`The header’s file`,
}

export const RefusalWords = ({ error, draft }: { error: unknown; draft: Draft }) => {
  const { message, details = [] } = error as Partial<ApiError>
  if (details.length === 0) return <>{message ?? t`Something went wrong. Try again.`}</>
  return (
    <ul>
      {details.slice(0, SAID_MAX).map(({ field, message }) => {
        const row = ROW.exec(field)
        const line = row && draft.table.rows[Number(row[1])]?.line
        return (
          <li key={`${field} ${message}`}>
            {line ? t`Line ${line}` : (FIELDS[field] ?? field)} {message}
          </li>
        )
      })}
      {details.length > SAID_MAX && <li>{rich`and ${details.length - SAID_MAX} more`}</li>}
    </ul>
  )
}
