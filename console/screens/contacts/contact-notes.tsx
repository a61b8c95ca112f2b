import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { Profile, ThreadNote } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { TextArea } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { SmallNote } from '../../ui/small-note.tsx'
import { t } from '../../words/t.ts'

const NOTE_MAX = 4000

/** The team's notes. Notes belong to conversations: a new one is added to the latest. */
export const ContactNotes = ({
  contactId,
  notes,
  conversationId,
}: {
  contactId: string
  notes: Profile['notes']
  conversationId: string | undefined
}) => {
  const api = useApi()
  const client = useQueryClient()
  const place = useRef<HTMLDivElement>(null)
  const key = useRef(crypto.randomUUID())
  const add = useMutation({
    mutationFn: (body: string) =>
      api.post<{ note: ThreadNote }>('/notes', { body, conversationId }, { idempotencyKey: key.current }),
    onSuccess: ({ note }) => {
      key.current = crypto.randomUUID()
      client.setQueryData<Profile>(keys.contact(api.workspaceId, contactId), (known) =>
        known && !known.notes.some(({ id }) => id === note.id)
          ? { ...known, notes: [note, ...known.notes] }
          : known,
      )
      place.current?.querySelector('form')?.reset()
      place.current?.querySelector('textarea')?.focus()
    },
    onError: (error) => {
      // A new text needs a new key; after no response, the key stays the same.
      if ((error as { status?: number }).status !== 0) key.current = crypto.randomUUID()
    },
  })
  return (
    <Section title={t`Notes`} about={t`Only visible to your team.`}>
      {conversationId && (
        <div ref={place}>
          <Form error={add.error} onSubmit={({ body = '' }) => add.mutate(body.trim())}>
            <div className="stack">
              <TextArea
                label={t`New note`}
                isLabelHidden
                name="body"
                rows={2}
                maxLength={NOTE_MAX}
                placeholder={t`Write a note…`}
              />
              <div className="row row--end">
                <Button type="submit" isBusy={add.isPending}>
                  {t`Add note`}
                </Button>
              </div>
            </div>
          </Form>
        </div>
      )}
      {notes.length === 0 ? (
        <p className="text-soft">{t`No notes yet.`}</p>
      ) : (
        <ul className="stack" aria-label={t`Notes`}>
          {notes.map((note) => (
            <SmallNote key={note.id} note={note} />
          ))}
        </ul>
      )}
    </Section>
  )
}
