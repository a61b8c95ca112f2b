import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import type { ApiError } from '../../state/api.ts'
import { useSession } from '../../state/session.tsx'
import type { BroadcastTest, RichTemplate } from '../../state/types.ts'
import { Badge } from '../../ui/badge.tsx'
import { Banner } from '../../ui/banner.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { t } from '../../words/t.ts'
import type { Chosen } from '../contacts/chosen-contacts.tsx'
import { ContactsChoice } from '../contacts/contact-picker.tsx'
import { reasonWords } from './broadcast-state.ts'
import { type Draft, headerOf, mergedFieldsOf } from './draft.ts'

const PEOPLE_MAX = 5

/** The numbers of the last test, on this device. */
const useNumbers = () => {
  const { session, workspace } = useSession()
  const name = `foyer.broadcast-test.${workspace.id}.${session.account.id}`
  const [numbers, setNumbers] = useState(() => localStorage.getItem(name) ?? '')
  return { numbers, setNumbers, keep: () => localStorage.setItem(name, numbers) }
}

const phonesOf = (text: string): string[] =>
  text
    .split(/[,;\n]/)
    .map((phone) => phone.trim())
    .filter((phone) => phone !== '')

export const TestDialog = ({
  draft,
  template,
  parameters,
  onClose,
}: {
  draft: Draft
  template: RichTemplate
  parameters: readonly string[]
  onClose: () => void
}) => {
  const { api } = useSession()
  const { numbers, setNumbers, keep } = useNumbers()
  const [contacts, setContacts] = useState<Chosen[]>([])
  // One key for each test: a second click, or trying again after a lost response, sends nothing twice.
  const key = useRef(crypto.randomUUID())
  const phones = phonesOf(numbers)
  const count = phones.length + contacts.length
  const send = useMutation({
    mutationFn: () =>
      api.post<{ tests: BroadcastTest[] }>(
        '/broadcasts/test',
        {
          templateName: template.name,
          language: template.language,
          parameters,
          ...mergedFieldsOf(draft, template),
          ...headerOf(draft, template),
          ...(draft.name.trim() !== '' && { name: draft.name.trim() }),
          phones,
          contactIds: contacts.map(({ id }) => id),
        },
        { idempotencyKey: key.current },
      ),
    onSuccess: () => {
      keep()
      key.current = crypto.randomUUID()
    },
    onError: (error) => {
      const { status } = error as ApiError
      if (status >= 400 && status < 500 && status !== 409) key.current = crypto.randomUUID()
    },
  })
  const change = (work: () => void) => () => {
    work()
    send.reset()
  }
  return (
    <FormDialog
      title={t`Send a test`}
      about={t`Delivered like the broadcast, but marked as a test and not counted.`}
      submitLabel={send.isSuccess ? t`Send another test` : t`Send test`}
      save={send}
      onSubmit={() => {
        if (count > 0 && count <= PEOPLE_MAX && !send.isPending) send.mutate()
      }}
      onClose={onClose}
    >
      <TextField
        label={t`Phone numbers`}
        name="phones"
        inputMode="tel"
        dir="ltr"
        placeholder={t`e.g. +49 151 23456789`}
        hint={t`In international format, separated by commas. A new number becomes a contact.`}
        value={numbers}
        onChange={({ target }) => change(() => setNumbers(target.value))()}
      />
      <p className="field__label">{t`Contacts`}</p>
      <ContactsChoice
        takesFocus={false}
        chosen={contacts}
        onChange={(chosen) => change(() => setContacts(chosen))()}
      />
      {count > PEOPLE_MAX && <Banner tone="warn">{t`A test goes to at most ${PEOPLE_MAX} people.`}</Banner>}
      {send.data && <Outcomes tests={send.data.tests} />}
    </FormDialog>
  )
}

const Outcomes = ({ tests }: { tests: BroadcastTest[] }) => (
  <div role="status">
    <ul className="stack stack--tight" aria-label={t`Results of the test`}>
      {tests.map(({ contactId, name, conversationId, status, error, reason }) => (
        <li key={contactId} className="row row--wrap">
          <Outcome status={status} reason={reason} />
          {conversationId ? (
            <Link to="/inbox/$view/$conversationId" params={{ view: 'all', conversationId }} target="_blank">
              <bdi>{name}</bdi>
            </Link>
          ) : (
            <bdi>{name}</bdi>
          )}
          <span className="text-soft text-small">{reason ? reasonWords(reason) : error?.message}</span>
        </li>
      ))}
    </ul>
  </div>
)

const Outcome = ({ status, reason }: Pick<BroadcastTest, 'status' | 'reason'>) =>
  reason ? (
    <Badge tone="warn">{t`Skipped`}</Badge>
  ) : status === 'failed' ? (
    <Badge tone="danger">{t`Failed`}</Badge>
  ) : status === 'queued' ? (
    <Badge tone="plain">{t`Still sending`}</Badge>
  ) : (
    <Badge tone="ok">{t`Sent`}</Badge>
  )
