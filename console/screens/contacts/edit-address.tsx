import { useMutation, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { ApiError } from '../../state/api.ts'
import { useApi } from '../../state/session.tsx'
import type { Profile } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { FieldProblems, FormProblem, TextField } from '../../ui/field.tsx'
import { t } from '../../words/t.ts'
import { onEscape, showChange } from './contact-fields.tsx'

const MergeContacts = lazy(() => import('./merge-contacts.tsx'))

const HOLDER = /^belongs to contact (\S+)$/

/** Says who has the address already, if somebody does, and offers to merge. */
const EditAddress = ({
  contact,
  what,
  label,
  onDone,
}: {
  contact: Profile['contact']
  what: 'email' | 'phone'
  label: string
  onDone: () => void
}) => {
  const api = useApi()
  const client = useQueryClient()
  const [text, setText] = useState(contact[what] ?? '')
  const [holder, setHolder] = useState<Profile['contact'] | null>(null)
  const [isMerging, setMerging] = useState(false)
  const save = useMutation({
    mutationFn: (value: string | null) =>
      api.patch<Profile>(`/contacts/${contact.id}/addresses`, { [what]: value }),
    onMutate: () => setHolder(null),
    onSuccess: (profile) => {
      showChange(client, api.workspaceId, profile)
      onDone()
    },
    onError: async (error) => {
      const [, id] = HOLDER.exec((error as ApiError).details?.[0]?.message ?? '') ?? []
      if (id) setHolder((await api.get<Profile>(`/contacts/${id}`)).contact)
    },
  })
  const error = save.error as ApiError | null
  const isTaken = error?.code === 'CONTACT_CONFLICT'
  return (
    <form
      className="stack stack--tight"
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate(text.trim() || null)
      }}
      onKeyDown={onEscape(onDone)}
    >
      <FieldProblems details={isTaken ? undefined : error?.details}>
        {!isTaken && <FormProblem error={error} fields={[what]} />}
        <TextField
          label={label}
          isLabelHidden
          name={what}
          type={what === 'email' ? 'email' : 'tel'}
          autoFocus
          maxLength={what === 'email' ? 254 : 40}
          placeholder={what === 'phone' ? 'e.g. +49 30 123456' : undefined}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </FieldProblems>
      {isTaken && (
        <div role="alert" className="stack stack--tight text-small">
          {holder ? (
            <>
              <span>
                <bdi className="text-strong">{holder.name}</bdi>{' '}
                {what === 'email' ? t`already has this address.` : t`already has this number.`}
              </span>
              <Button size="small" onClick={() => setMerging(true)}>
                {t`Compare and merge`}
              </Button>
            </>
          ) : what === 'email' ? (
            t`Another contact already has this address.`
          ) : (
            t`Another contact already has this number.`
          )}
        </div>
      )}
      <div className="row">
        <Button type="submit" size="small" variant="primary" isBusy={save.isPending}>
          {t`Save`}
        </Button>
        <Button size="small" variant="ghost" onClick={onDone}>
          {t`Cancel`}
        </Button>
      </div>
      {isMerging && holder && (
        <Suspense>
          <MergeContacts contactId={contact.id} otherId={holder.id} onClose={() => setMerging(false)} />
        </Suspense>
      )}
    </form>
  )
}
export default EditAddress
