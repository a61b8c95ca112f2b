import { useQuery } from '@tanstack/react-query'
import { Paperclip, Send } from 'lucide-react'
import { useRef } from 'react'
import type { ApiError } from '../../state/api.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { Mail } from '../../state/types.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { FieldProblems, FormProblem } from '../../ui/field.tsx'
import { MOD_ENTER } from '../../ui/kbd.tsx'
import { rich, t } from '../../words/t.ts'
import { useDraft } from '../inbox/drafts.ts'
import { Envelope } from '../inbox/email/envelope.tsx'
import { requestOf } from '../inbox/email/request.ts'
import { RichText } from '../inbox/email/rich-text.tsx'
import { Signature, signed } from '../inbox/email/signature.tsx'
import UploadList from '../inbox/upload-list.tsx'
import { useUploads } from '../inbox/uploads.ts'
import type { Person, StartProps } from './start-props.ts'
import { useStart } from './use-start.ts'

const NEW = 'new'
const FILES = { max: 10, bytesMax: 18 * 1024 * 1024 }

const mailTo = ({ email, name }: Person): Mail => ({
  to: email ? [{ ...(name && name !== email && { name }), address: email }] : [],
  cc: [],
  bcc: [],
})

/** What was begun is kept, unless it was to somebody else. */
const useNewMail = (person: Person) => {
  const [draft, change] = useDraft(NEW)
  const { email } = person
  const kept = draft.mail && (!email || draft.mail.to.some(({ address }) => address === email))
  const mail = kept && draft.mail ? draft.mail : mailTo(person)
  return { draft, change, mail }
}

export const NewEmail = ({ sender, person, onStarted }: StartProps) => {
  const api = useApi()
  const { draft, change, mail } = useNewMail(person)
  const files = useUploads(api, FILES, NEW)
  const input = useRef<HTMLInputElement>(null)
  const { data } = useQuery({
    queryKey: keys.signature(api.workspaceId, t`new ${sender.id}`),
    queryFn: ({ signal }) =>
      api.get<{ text: string }>(`/new-conversation/senders/${sender.id}/signature`, {}, signal),
    staleTime: 300_000,
  })
  const signature = mail.isUnsigned ? '' : (data?.text.trim() ?? '')
  const start = useStart((conversationId) => {
    change({ ...draft, reply: '', html: null, mail: null })
    files.clear()
    onStarted(conversationId)
  })
  const canSend =
    (draft.reply.trim() !== '' || files.ready.length > 0) && !files.isUploading && !start.isPending
  const send = (): void => {
    const written = { text: draft.reply.trim(), html: draft.html }
    const request = canSend ? requestOf(mail, signed(written, signature)) : null
    if (request)
      start.mutate({
        channelId: sender.id,
        body: request.body,
        attachmentIds: [...files.ready, ...request.images].map(({ id }) => id),
        email: request.email,
      })
  }
  const problem = start.error as ApiError | null
  return (
    <FieldProblems details={problem?.details}>
      <FormProblem error={start.error} fields={[]} />
      <section className="composer__box" aria-label={t`New email`}>
        <Envelope mail={mail} onChange={(next) => change({ ...draft, mail: next })} others={[]} isOpen />
        <RichText
          label={t`Message`}
          placeholder={t`Write an email…`}
          content={{ text: draft.reply, html: draft.html }}
          onChange={({ text, html }) => change({ ...draft, reply: text, html, mail })}
          onSend={send}
          onSlash={null}
          onFiles={files.add}
        >
          {signature !== '' && (
            <Signature
              text={signature}
              onRemove={() => change({ ...draft, mail: { ...mail, isUnsigned: true } })}
            />
          )}
          {files.uploads.length > 0 && <UploadList uploads={files.uploads} onRemove={files.remove} />}
        </RichText>
        <div className="composer__foot">
          <input
            ref={input}
            type="file"
            multiple
            hidden
            onChange={(event) => {
              files.add([...(event.target.files ?? [])])
              event.target.value = ''
            }}
          />
          <IconButton icon={Paperclip} label={t`Attach a file`} onClick={() => input.current?.click()} />
          <span id="composer-count" className="composer__count">
            {rich`${MOD_ENTER} to send`}
          </span>
          <Button variant="primary" icon={Send} disabled={!canSend} isBusy={start.isPending} onClick={send}>
            {t`Send`}
          </Button>
        </div>
      </section>
    </FieldProblems>
  )
}
