// What the palette finds besides commands: people and conversations.
import { useQuery } from '@tanstack/react-query'
import { Channels, Unverified } from '../screens/contacts/contact-who.tsx'
import { Snippet } from '../screens/inbox/found-row.tsx'
import { shortMoment } from '../state/dates.ts'
import { keys } from '../state/query-keys.ts'
import { useApi } from '../state/session.tsx'
import type { Found, FoundConversations, FoundPerson } from '../state/types.ts'
import { Avatar, Badge } from '../ui/badge.tsx'
import type { PickerItem } from '../ui/picker.tsx'
import { t } from '../words/t.ts'

const PEOPLE_MAX = 5
const CONVERSATIONS_MAX = 6
/** Of one letter there is too much, except where it is a word. */
const TOO_SHORT = /^[a-z0-9]?$/i

export type PaletteItem = PickerItem & {
  person?: FoundPerson
  found?: Found
}

const personItem = (person: FoundPerson): PaletteItem => {
  const { id, name, email, emailVerified, phone, channels } = person
  const about = [email !== name && email, phone !== name && phone].filter(Boolean)
  return {
    id: `person ${id}`,
    text: name,
    group: t`People`,
    person,
    content: (
      <>
        <Avatar name={name} seed={id} size="small" />
        <span className="picker__two-lines">
          <bdi className="truncate">{name}</bdi>
          {about.length > 0 && (
            <span className="palette__about">
              <bdi className="truncate">{about.join(' · ')}</bdi>
              {email && !emailVerified && <Unverified isPlain />}
            </span>
          )}
        </span>
      </>
    ),
    hint: <Channels channels={channels} />,
  }
}

const conversationItem = (found: Found): PaletteItem => {
  const { conversation, match } = found
  const { id, contact, subject, status, updatedAt, lastMessage } = conversation
  return {
    id: `conversation ${id}`,
    text: contact.name,
    group: t`Conversations`,
    found,
    content: (
      <>
        <Avatar name={contact.name} seed={contact.id} size="small" />
        <span className="picker__two-lines">
          <span className="palette__name">
            <bdi className="truncate">{subject ? `${contact.name} · ${subject}` : contact.name}</bdi>
            {status === 'closed' && <Badge>{t`Closed`}</Badge>}
          </span>
          <span className="palette__about truncate">
            <Snippet match={match} lastMessage={lastMessage} />
          </span>
        </span>
      </>
    ),
    hint: shortMoment(updatedAt),
  }
}

/** Those for the beginning of what was typed stay until the new ones are there. */
export const usePaletteResults = (q: string) => {
  const api = useApi()
  const options = {
    enabled: !TOO_SHORT.test(q),
    placeholderData: <T,>(known: T | undefined, query?: { queryKey: readonly unknown[] }): T | undefined =>
      q.startsWith(String(query?.queryKey.at(-1))) ? known : undefined,
  }
  const people = useQuery({
    ...options,
    queryKey: keys.foundAnywhere(api.workspaceId, 'people', q),
    queryFn: ({ signal }) =>
      api.get<{ people: FoundPerson[] }>('/search/people', { q, limit: PEOPLE_MAX }, signal),
  })
  const conversations = useQuery({
    ...options,
    queryKey: keys.foundAnywhere(api.workspaceId, 'conversations', q),
    queryFn: ({ signal }) => api.get<FoundConversations>('/search', { q, limit: CONVERSATIONS_MAX }, signal),
  })
  if (!options.enabled) return { items: [], isFetching: false, error: null }
  return {
    items: [
      ...(people.data?.people ?? []).map(personItem),
      ...(conversations.data?.results ?? []).map(conversationItem),
    ],
    isFetching: people.isFetching || conversations.isFetching,
    error: people.error ?? conversations.error,
  }
}
