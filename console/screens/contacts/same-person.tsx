// Offers to merge a contact with another one that has the same address or number.
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { ContactRow, Profile } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { t } from '../../words/t.ts'

const MergeContacts = lazy(() => import('./merge-contacts.tsx'))

const SHOWN_MAX = 3

const useHolders = (query: { email?: string; phone?: string }, exceptId: string): ContactRow[] => {
  const api = useApi()
  const filter = { ...query, sort: 'created', limit: SHOWN_MAX + 1 }
  const { data } = useQuery({
    queryKey: keys.contactList(api.workspaceId, filter),
    queryFn: ({ signal }) => api.get<{ contacts: ContactRow[] }>('/contacts', filter, signal),
    enabled: Boolean(query.email ?? query.phone),
  })
  return (data?.contacts ?? []).filter(({ id }) => id !== exceptId)
}

const SamePerson = ({ contact: { id, email, phone } }: { contact: Profile['contact'] }) => {
  const byEmail = useHolders({ ...(email && { email }) }, id)
  const byPhone = useHolders({ ...(phone && { phone }) }, id)
  const [otherId, setOtherId] = useState<string | null>(null)
  const others = [...new Map([...byEmail, ...byPhone].map((one) => [one.id, one])).values()].slice(
    0,
    SHOWN_MAX,
  )
  const wordsOf = (other: string): string => {
    const hasEmail = byEmail.some((one) => one.id === other)
    if (hasEmail && byPhone.some((one) => one.id === other)) return t`has the same email and phone number.`
    return hasEmail ? t`has the same email.` : t`has the same phone number.`
  }
  return (
    <>
      {others.map((other) => (
        <div key={other.id} className="same-person">
          <span>
            <bdi className="text-strong">{other.name}</bdi> {wordsOf(other.id)}
          </span>
          <Button size="small" onClick={() => setOtherId(other.id)}>
            {t`Compare and merge`}
          </Button>
        </div>
      ))}
      {otherId && (
        <Suspense>
          <MergeContacts contactId={id} otherId={otherId} onClose={() => setOtherId(null)} />
        </Suspense>
      )}
    </>
  )
}
export default SamePerson
