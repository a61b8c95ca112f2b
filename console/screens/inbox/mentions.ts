import type { QueryClient } from '@tanstack/react-query'
import type { WorkspaceApi } from '../../state/api.ts'
import { keys } from '../../state/query-keys.ts'
import type { Mentionable, Mentionables } from '../../state/types.ts'

const FRESH_MS = 60_000

export const mentionableQuery = (api: WorkspaceApi, conversationId: string) => ({
  queryKey: [...keys.details(api.workspaceId, conversationId), 'mentionable'],
  queryFn: async (): Promise<Mentionable[]> =>
    (await api.get<Mentionables>(`/conversations/${conversationId}/mentionable`)).people,
  staleTime: FRESH_MS,
})

/** Whom a note mentions, chosen or typed. Who can't see the conversation isn't told of it. */
export const mentionedIn = async (
  client: QueryClient,
  api: WorkspaceApi,
  conversationId: string,
  body: string,
): Promise<string[]> => {
  const people = await client.fetchQuery(mentionableQuery(api, conversationId))
  return people.filter(({ nickname, canSee }) => canSee && body.includes(`@${nickname}`)).map(({ id }) => id)
}
