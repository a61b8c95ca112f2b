// Contacts from the server: in numbered pages by activity, or by cursor, newest first.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { WorkspaceApi } from '../../state/api.ts'
import { keys } from '../../state/query-keys.ts'
import type { ContactRow, Directory } from '../../state/types.ts'

/** The directory's filter, as given in the URL. */
export type DirectorySearch = {
  q?: string
  country?: string
  channel?: string
  assignment?: 'assigned' | 'unassigned'
  open?: boolean
  sort?: 'created'
  page?: number
}

const PAGE_SIZE = 50

type Filter = Pick<DirectorySearch, 'q' | 'country' | 'channel' | 'assignment' | 'open'>

const queryOf = ({ q, country, channel, assignment, open }: Filter) => ({
  search: q,
  country,
  channel,
  assignment,
  hasOpen: open || undefined,
})

export const directoryQuery = (api: WorkspaceApi, { page = 1, ...filter }: Filter & { page?: number }) => {
  const query = { ...queryOf(filter), page, pageSize: PAGE_SIZE }
  return queryOptions({
    queryKey: keys.contactList(api.workspaceId, query),
    queryFn: ({ signal }) => api.get<Directory>('/contacts', query, signal),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })
}

export const newestContactsQuery = (api: WorkspaceApi, filter: Filter) => {
  const query = { ...queryOf(filter), sort: 'created', limit: PAGE_SIZE }
  return infiniteQueryOptions({
    queryKey: keys.contactList(api.workspaceId, query),
    queryFn: ({ signal, pageParam }) =>
      api.get<{ contacts: ContactRow[]; nextCursor: string | null }>(
        '/contacts',
        { ...query, cursor: pageParam },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })
}

/** Counts by country and channel over all contacts, and the number that match the filter. */
export const facetsQuery = (api: WorkspaceApi, filter: Filter = {}) => {
  const query = { ...queryOf(filter), pageSize: 1 }
  return queryOptions({
    queryKey: keys.contactList(api.workspaceId, query),
    queryFn: ({ signal }) => api.get<Directory>('/contacts', query, signal),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })
}
