// Groups in the cache, and how their counts are shown.

import { infiniteQueryOptions, keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { t } from '../words/t.ts'
import { countOf } from './amounts.ts'
import type { WorkspaceApi } from './api.ts'
import { keys } from './query-keys.ts'
import type { GroupMembers, GroupSummary, MembersAdded } from './types.ts'

const PAGE_SIZE = 50

export const groupsQuery = (api: WorkspaceApi) =>
  queryOptions({
    queryKey: keys.groups(api.workspaceId),
    queryFn: ({ signal }) => api.get<{ groups: GroupSummary[] }>('/contact-group-summaries', {}, signal),
    // There are no events for other people's changes to groups.
    staleTime: 5_000,
  })

export const membersQuery = (api: WorkspaceApi, groupId: string, search: string) =>
  infiniteQueryOptions({
    queryKey: keys.groupMembers(api.workspaceId, groupId, search),
    queryFn: ({ signal, pageParam }) =>
      api.get<GroupMembers>(
        `/contact-groups/${groupId}/members`,
        { search, cursor: pageParam, limit: PAGE_SIZE },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  })

export const groupsChanged = async (client: QueryClient, w: string, groupId?: string): Promise<void> => {
  if (groupId) void client.invalidateQueries({ queryKey: ['w', w, 'group', groupId] })
  await client.invalidateQueries({ queryKey: keys.groups(w) })
}

export const peopleCount = (count: number): string =>
  count === 1 ? t`1 person` : t`${countOf(count)} people`

export const addedWords = ({ added, alreadyIn }: MembersAdded): string =>
  [
    added > 0 || alreadyIn === 0 ? t`${peopleCount(added)} added` : null,
    alreadyIn > 0 ? t`${countOf(alreadyIn)} already in the group` : null,
  ]
    .filter(Boolean)
    .join(', ')
