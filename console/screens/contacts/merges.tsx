// Contacts that were merged into this one, which can be separated again for some weeks; and merging another one.
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { dateOf } from '../../state/dates.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { Merge } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { Popover } from '../../ui/popover.tsx'
import { rich, t } from '../../words/t.ts'
import { Part } from './contact-parts.tsx'
import { ContactPicker } from './contact-picker.tsx'
import { useUndoMerge } from './use-undo-merge.ts'

const MergeContacts = lazy(() => import('./merge-contacts.tsx'))

const Merges = ({ contactId }: { contactId: string }) => {
  const api = useApi()
  const navigate = useNavigate()
  const undo = useUndoMerge()
  const [otherId, setOtherId] = useState<string | null>(null)
  const [isPicking, setPicking] = useState(false)
  const { data } = useQuery({
    queryKey: keys.contactMerges(api.workspaceId, contactId),
    queryFn: ({ signal }) => api.get<{ merges: Merge[] }>(`/contacts/${contactId}/merges`, {}, signal),
  })
  return (
    <Part title={t`Duplicates`}>
      <ul className="stack stack--tight">
        {data?.merges.map(({ id, name, email, phone, undoableUntil }) => (
          <li key={id} className="same-person">
            <span>
              <bdi className="text-strong">{name}</bdi> <bdi>{email ?? phone}</bdi>
              <span className="text-soft">
                {' '}
                {rich`was merged into this contact. Undo until ${dateOf(undoableUntil)}.`}
              </span>
            </span>
            <Button size="small" isBusy={undo.isPending} onClick={() => undo.mutate({ contactId, id })}>
              {t`Undo`}
            </Button>
          </li>
        ))}
      </ul>
      <div>
        <Popover
          label={t`Contact to merge`}
          align="start"
          isFlush
          isOpen={isPicking}
          onOpenChange={setPicking}
          trigger={<Button size="small">{t`Merge with…`}</Button>}
        >
          <ContactPicker
            selectedIds={new Set()}
            onToggle={({ id }) => {
              setPicking(false)
              if (id !== contactId) setOtherId(id)
            }}
          />
        </Popover>
      </div>
      {otherId && (
        <Suspense>
          <MergeContacts
            contactId={contactId}
            otherId={otherId}
            onClose={() => setOtherId(null)}
            onMerged={(keptId) => {
              if (keptId !== contactId)
                void navigate({ to: '/contacts/$contactId', params: { contactId: keptId } })
            }}
          />
        </Suspense>
      )}
    </Part>
  )
}
export default Merges
