// The contacts page: everyone the team has talked to, as far as the agent may see them.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Search, UserRound, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { countOf } from '../../state/amounts.ts'
import { fullMoment, shortMoment } from '../../state/dates.ts'
import { useSession } from '../../state/session.tsx'
import type { ContactRow } from '../../state/types.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable, SelectionBar } from '../../ui/data-table.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Checkbox } from '../../ui/field.tsx'
import { LoadMore, Page, Pages } from '../../ui/page.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { SkeletonRows } from '../../ui/spinner.tsx'
import { rich, t } from '../../words/t.ts'
import { AddToGroup } from './add-to-group.tsx'
import { countryOf } from './contact-parts.tsx'
import { Channels, Email, Phone, WhoLink } from './contact-who.tsx'
import { type DirectorySearch, directoryQuery, facetsQuery, newestContactsQuery } from './directory.ts'
import { DirectoryFilters } from './directory-filters.tsx'
import { ImportButton } from './import-button.tsx'

const COLUMNS: Column<ContactRow>[] = [
  {
    id: 'name',
    head: t`Name`,
    width: '30%',
    cell: ({ id, name }) => <WhoLink id={id} name={name} />,
  },
  {
    id: 'reach',
    head: t`Phone and email`,
    isNameless: true,
    cell: ({ name, phone, phoneVerified, email, emailVerified }) => (
      <span className="text-soft">
        {phone && (phone !== name || !phoneVerified) && (
          <span className="reach">
            <Phone phone={phone} isVerified={phoneVerified} />
          </span>
        )}
        {email && (email !== name || !emailVerified) && (
          <bdi className="reach">
            <Email email={email} isVerified={emailVerified} />
          </bdi>
        )}
      </span>
    ),
  },
  {
    id: 'channels',
    head: t`Channels`,
    cell: ({ channels }) => <Channels channels={channels} />,
  },
  {
    id: 'country',
    head: t`Country`,
    hide: 'narrow',
    cell: ({ countryIso }) => countryIso && countryOf(countryIso),
  },
  {
    id: 'agent',
    head: t`Assigned to`,
    cell: ({ assignedAgent }) => assignedAgent && <bdi>{assignedAgent.nickname}</bdi>,
  },
  {
    id: 'open',
    head: t`Open`,
    hide: 'narrow',
    cell: ({ openCount }) => (openCount > 0 ? <Badge tone="ok">{rich`${openCount} open`}</Badge> : null),
  },
  {
    id: 'activity',
    head: t`Last activity`,
    align: 'end',
    cell: ({ lastActivityAt }) =>
      lastActivityAt && (
        <time dateTime={lastActivityAt} title={fullMoment(lastActivityAt)}>
          {shortMoment(lastActivityAt)}
        </time>
      ),
  },
]

export const Contacts = () => {
  const { api, can } = useSession()
  const search = useSearch({ from: '/signed/contacts' })
  const navigate = useNavigate({ from: '/contacts' })
  const { sort, page, ...filter } = search
  const byCreation = sort === 'created'
  const paged = useQuery({ ...directoryQuery(api, { ...filter, page }), enabled: !byCreation })
  const newest = useInfiniteQuery({ ...newestContactsQuery(api, filter), enabled: byCreation })
  const facets = useQuery(facetsQuery(api))
  const matches = useQuery({ ...facetsQuery(api, filter), enabled: byCreation })
  const [selectedIds, setSelected] = useState<ReadonlySet<string>>(new Set())
  const clearSelection = (): void => setSelected(new Set())

  const current = byCreation ? newest : paged
  const rows = byCreation ? newest.data?.pages.flatMap(({ contacts }) => contacts) : paged.data?.contacts
  const total = (byCreation ? matches : paged).data?.total
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  const change = (next: DirectorySearch): void =>
    void navigate({ search: (known) => ({ ...known, page: undefined, ...next }), replace: true })

  // A selection only covers visible contacts, so changing the filter clears it.
  const filterKey = JSON.stringify(filter)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only runs when the filter changes
  useEffect(() => setSelected(new Set()), [filterKey])

  return (
    <Page title={t`Contacts`} about={t`Everyone you’ve talked to.`} actions={<ImportButton />}>
      <div className="toolbar">
        <SearchField
          group={t`Contacts`}
          label={t`Search contacts`}
          placeholder={t`Name, email, phone or username`}
          value={search.q ?? ''}
          onSearch={(q) => change({ q: q || undefined })}
        />
        <DirectoryFilters search={search} facets={facets.data?.facets} onChange={change} />
      </div>
      <div className="found">
        <p className="text-soft text-small numeric" role="status">
          {total === undefined ? ' ' : total === 1 ? t`1 contact` : t`${countOf(total)} contacts`}
          {isFiltered && total !== undefined && t` found`}
        </p>
        <Checkbox
          label={t`Has an open conversation`}
          checked={search.open === true}
          onChange={({ target }) => change({ open: target.checked || undefined })}
        />
        {isFiltered && (
          <Button
            size="small"
            variant="ghost"
            icon={X}
            onClick={() => void navigate({ search: { sort }, replace: true })}
          >
            {t`Clear filters`}
          </Button>
        )}
      </div>
      <SelectionBar count={selectedIds.size} onClear={clearSelection}>
        <AddToGroup contactIds={[...selectedIds]} onDone={clearSelection} />
      </SelectionBar>
      {current.error && !rows ? (
        <LoadProblem error={current.error} onRetry={() => void current.refetch()} />
      ) : !rows ? (
        <SkeletonRows />
      ) : (
        <DataTable
          label={t`Contacts`}
          columns={COLUMNS}
          rows={rows}
          keyOf={({ id }) => id}
          isBusy={current.isPlaceholderData}
          onOpen={({ id }) => void navigate({ to: '/contacts/$contactId', params: { contactId: id } })}
          selection={
            can('manage_groups')
              ? { selectedIds, onChange: setSelected, nameOf: ({ name }) => name }
              : undefined
          }
          empty={
            isFiltered ? (
              <EmptyState icon={Search} title={t`No matching contacts`}>
                {t`Try a shorter search or different filters.`}
              </EmptyState>
            ) : (
              <EmptyState icon={UserRound} title={t`No contacts yet`}>
                {t`People who write on a connected channel will appear here.`}
              </EmptyState>
            )
          }
        />
      )}
      {byCreation
        ? newest.hasNextPage && (
            <LoadMore isBusy={newest.isFetchingNextPage} onLoad={() => void newest.fetchNextPage()} />
          )
        : paged.data && (
            <Pages
              page={paged.data.page}
              totalPages={paged.data.totalPages}
              onPage={(next) => {
                void navigate({ search: (known) => ({ ...known, page: next > 1 ? next : undefined }) })
                document.getElementById('main')?.scrollTo({ top: 0 })
              }}
            />
          )}
    </Page>
  )
}
