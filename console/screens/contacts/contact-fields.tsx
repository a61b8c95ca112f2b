import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { Check, Pencil, Plus, Trash2, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { ApiError } from '../../state/api.ts'
import { keys } from '../../state/query-keys.ts'
import { useSession } from '../../state/session.tsx'
import type { Profile } from '../../state/types.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { FieldProblems, FormProblem, TextField } from '../../ui/field.tsx'
import { t } from '../../words/t.ts'

export const NAME_MAX = 120
const FIELD_NAME_MAX = 64
const FIELD_VALUE_MAX = 500

type Value = string | number | boolean
type Change = { name?: string; customFields?: Record<string, Value | null> }

export const useContactChange = (contactId: string, onDone: () => void) => {
  const { api } = useSession()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (change: Change) => api.patch<Profile>(`/contacts/${contactId}`, change),
    onSuccess: (profile) => {
      showChange(client, api.workspaceId, profile)
      onDone()
    },
  })
}

/** Shows a contact as it is now, wherever it is listed. */
export const showChange = (client: QueryClient, workspaceId: string, profile: Profile): void => {
  client.setQueryData(keys.contact(workspaceId, profile.contact.id), profile)
  for (const queryKey of [
    keys.conversationLists(workspaceId),
    keys.contacts(workspaceId),
    ['w', workspaceId, 'conversation'],
  ])
    void client.invalidateQueries({ queryKey })
}

/** Escape discards the edit. */
export const onEscape = (run: () => void) => (event: React.KeyboardEvent) => {
  if (event.key !== 'Escape') return
  event.preventDefault()
  event.stopPropagation()
  run()
}

export const EditableName = ({
  contactId,
  name,
  mayEdit,
}: {
  contactId: string
  name: string
  mayEdit: boolean
}) => {
  const [text, setText] = useState<string | null>(null)
  const save = useContactChange(contactId, () => setText(null))
  if (text === null)
    return (
      <div className="row customer__name">
        <h2 className="truncate">
          <bdi>{name}</bdi>
        </h2>
        {mayEdit && (
          <IconButton icon={Pencil} size="small" label={t`Edit name`} onClick={() => setText(name)} />
        )}
      </div>
    )
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (text.trim() === name) setText(null)
    else save.mutate({ name: text.trim() })
  }
  return (
    <form
      className="stack stack--tight customer__name"
      onSubmit={submit}
      onKeyDown={onEscape(() => setText(null))}
    >
      <FieldProblems details={(save.error as ApiError | null)?.details}>
        <FormProblem error={save.error} fields={['name']} />
        <TextField
          label={t`Name`}
          isLabelHidden
          name="name"
          autoFocus
          maxLength={NAME_MAX}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </FieldProblems>
      <div className="row">
        <Button type="submit" size="small" variant="primary" icon={Check} isBusy={save.isPending}>
          {t`Save`}
        </Button>
        <Button size="small" variant="ghost" onClick={() => setText(null)}>
          {t`Cancel`}
        </Button>
      </div>
    </form>
  )
}

/** Keeps the value's type: a number stays a number if the new text is one. */
const typedAs = (text: string, before: Value | undefined): Value => {
  if (typeof before === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text)
  if (typeof before === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  return text
}

export const CustomFields = ({
  contactId,
  fields,
  mayEdit,
}: {
  contactId: string
  fields: Profile['contact']['customFields']
  mayEdit: boolean
}) => {
  const [edited, setEdited] = useState<{ key: string; value: string; isNew: boolean } | null>(null)
  const save = useContactChange(contactId, () => setEdited(null))
  const entries = Object.entries(fields)
  if (!mayEdit && entries.length === 0) return null

  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!edited) return
    const key = edited.key.trim()
    if (key) save.mutate({ customFields: { [key]: typedAs(edited.value, fields[key]) } })
  }
  const form = edited && (
    <form className="stack stack--tight" onSubmit={submit} onKeyDown={onEscape(() => setEdited(null))}>
      <FieldProblems details={(save.error as ApiError | null)?.details}>
        <FormProblem error={save.error} fields={['customFields']} />
        {edited.isNew && (
          <TextField
            label={t`Field`}
            autoFocus
            maxLength={FIELD_NAME_MAX}
            value={edited.key}
            onChange={(event) => setEdited({ ...edited, key: event.target.value })}
          />
        )}
        <TextField
          label={edited.isNew ? t`Value` : edited.key}
          name="customFields"
          autoFocus={!edited.isNew}
          maxLength={FIELD_VALUE_MAX}
          value={edited.value}
          onChange={(event) => setEdited({ ...edited, value: event.target.value })}
        />
      </FieldProblems>
      <div className="row">
        <Button
          type="submit"
          size="small"
          variant="primary"
          isBusy={save.isPending}
          disabled={edited.key.trim() === ''}
        >
          {t`Save`}
        </Button>
        <Button size="small" variant="ghost" icon={X} onClick={() => setEdited(null)}>
          {t`Cancel`}
        </Button>
        {!edited.isNew && (
          <IconButton
            icon={Trash2}
            size="small"
            label={t`Remove ${edited.key}`}
            className="push"
            onClick={() => save.mutate({ customFields: { [edited.key]: null } })}
          />
        )}
      </div>
    </form>
  )

  return (
    <section className="customer__part">
      <header className="row row--between">
        <h3 className="customer__title">{t`Fields`}</h3>
        {mayEdit && (
          <IconButton
            icon={Plus}
            size="small"
            label={t`Add field`}
            onClick={() => setEdited({ key: '', value: '', isNew: true })}
          />
        )}
      </header>
      {entries.length === 0 && !edited && <p className="text-soft text-small">{t`No fields`}</p>}
      <dl className="facts">
        {entries.map(([key, value]) =>
          edited && !edited.isNew && edited.key === key ? (
            <div key={key}>{form}</div>
          ) : (
            <div key={key} className="facts__row">
              <dt className="facts__name">
                <bdi>{key}</bdi>
              </dt>
              <dd className="facts__value">
                {mayEdit ? (
                  <button
                    type="button"
                    className="customer__value"
                    aria-label={t`Edit ${key}: ${String(value)}`}
                    onClick={() => setEdited({ key, value: String(value), isNew: false })}
                  >
                    <bdi>{typeof value === 'boolean' ? (value ? t`yes` : t`no`) : String(value)}</bdi>
                  </button>
                ) : (
                  <bdi>{String(value)}</bdi>
                )}
              </dd>
            </div>
          ),
        )}
      </dl>
      {edited?.isNew && form}
    </section>
  )
}
