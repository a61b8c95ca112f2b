import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { membersQuery } from '../../state/groups.ts'
import { useSession } from '../../state/session.tsx'
import { filterOf, isCountable } from '../contacts/audience-filter.ts'
import { directoryQuery } from '../contacts/directory.ts'
import type { Draft } from './draft.ts'

/** The name of a recipient, if it is known without fetching the whole audience. */
export const useFirstRecipient = ({ way, groupId, contacts, filter: draft }: Draft): string | null => {
  const { api, can } = useSession()
  const members = useInfiniteQuery({
    ...membersQuery(api, groupId, ''),
    enabled: way === 'group' && groupId !== '' && can('manage_groups'),
  })
  const filter = filterOf(draft)
  const matching = useQuery({
    ...directoryQuery(api, {
      q: filter?.search,
      country: filter?.country,
      channel: filter?.channel,
      assignment: filter?.assignment,
      open: filter?.hasOpen,
    }),
    enabled: way === 'filter' && filter !== null && isCountable(filter),
  })
  if (way === 'contacts') return contacts[0]?.name ?? null
  if (way === 'group') {
    const known = members.data?.pages[0]?.members ?? []
    return (known.find(({ hasWhatsapp }) => hasWhatsapp) ?? known[0])?.name ?? null
  }
  if (way === 'filter') return matching.data?.contacts[0]?.name ?? null
  return null
}
