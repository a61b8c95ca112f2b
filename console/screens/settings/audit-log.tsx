import { useInfiniteQuery } from '@tanstack/react-query'
import { ScrollText } from 'lucide-react'
import { useState } from 'react'
import { dateTimeOf, fullMoment } from '../../state/dates.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { AuditAction, AuditEntry, AuditLog } from '../../state/types.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Select } from '../../ui/field.tsx'
import { LoadMore } from '../../ui/page.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { SkeletonRows } from '../../ui/spinner.tsx'
import { t } from '../../words/t.ts'
import { AUDIT_LABELS, actorLabel, changeWords } from './audit-words.ts'
import { useSetting } from './use-setting.ts'

const COLUMNS: Column<AuditEntry>[] = [
  {
    id: 'action',
    head: t`What`,
    cell: (entry) => {
      const changes = changeWords(entry)
      return (
        // One box, since cards lay out what is in the first column side by side.
        <div>
          {/* An older console, open since before an update, has no words for a new action. */}
          {AUDIT_LABELS[entry.action] ?? entry.action}
          {entry.target?.name && (
            <>
              : <bdi className="text-strong">{entry.target.name}</bdi>
            </>
          )}
          {changes.length > 0 && <div className="text-soft text-small user-text">{changes.join(' · ')}</div>}
        </div>
      )
    },
  },
  { id: 'actor', head: t`Who`, width: '20%', cell: ({ actor }) => <bdi>{actorLabel(actor)}</bdi> },
  {
    id: 'address',
    head: t`From`,
    width: '16%',
    hide: 'narrow',
    cell: ({ address, userAgent }) => address && <span title={userAgent ?? undefined}>{address}</span>,
  },
  {
    id: 'createdAt',
    head: t`When`,
    width: '20%',
    cell: ({ createdAt }) => <span title={fullMoment(createdAt)}>{dateTimeOf(createdAt)}</span>,
  },
]

type Filter = { action?: AuditAction; actor?: string }

export const AuditLogSettings = () => {
  const api = useApi()
  const [filter, setFilter] = useState<Filter>({})
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: keys.auditLog(api.workspaceId, filter),
    queryFn: ({ pageParam, signal }) =>
      api.get<AuditLog>(
        '/audit-log',
        { ...filter, ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
  const entries = data?.pages.flatMap(({ entries }) => entries)
  const isFiltered = Object.keys(filter).length > 0
  return (
    <SidePage title={t`Audit log`} about={t`Who changed settings and who signed in. Kept for 400 days.`}>
      <Filters filter={filter} onChange={setFilter} />
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !entries ? (
        <SkeletonRows rows={6} />
      ) : (
        <DataTable
          label={t`Audit log`}
          columns={COLUMNS}
          rows={entries}
          keyOf={({ id }) => id}
          empty={
            <EmptyState icon={ScrollText} title={isFiltered ? t`No matching entries` : t`No entries yet`}>
              {isFiltered ? t`Choose another filter.` : t`Changes appear here as soon as they are made.`}
            </EmptyState>
          }
        />
      )}
      {hasNextPage && <LoadMore isBusy={isFetchingNextPage} onLoad={() => void fetchNextPage()} />}
    </SidePage>
  )
}

const Filters = ({ filter, onChange }: { filter: Filter; onChange: (filter: Filter) => void }) => {
  const members = useSetting<{ members: { id: string; nickname: string }[] }>('members', '/members')
  const tokens = useSetting<{ tokens: { id: string; name: string }[] }>('tokens', '/tokens')
  const { action, actor } = filter
  return (
    <div className="row row--wrap">
      <Select
        label={t`Action`}
        value={action ?? ''}
        onChange={({ target }) =>
          onChange({ ...(actor && { actor }), ...(target.value && { action: target.value as AuditAction }) })
        }
        options={[
          { value: '', label: t`All actions` },
          ...Object.entries(AUDIT_LABELS).map(([value, label]) => ({ value, label })),
        ]}
      />
      <Select
        label={t`Who`}
        value={actor ?? ''}
        onChange={({ target }) =>
          onChange({ ...(action && { action }), ...(target.value && { actor: target.value }) })
        }
        options={[
          { value: '', label: t`Everyone` },
          ...(members.data?.members ?? []).map(({ id, nickname }) => ({
            value: `agent:${id}`,
            label: nickname,
          })),
          ...(tokens.data?.tokens ?? []).map(({ id, name }) => ({ value: `token:${id}`, label: name })),
          { value: 'operator', label: t`Operator` },
          { value: 'unknown', label: t`Unknown` },
        ]}
      />
    </div>
  )
}
