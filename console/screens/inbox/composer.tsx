// Where replies are written. Reply and note each have a draft; messages are sent through the outbox.
import {
  type ComponentProps,
  lazy,
  type Ref,
  type RefObject,
  Suspense,
  useImperativeHandle,
  useRef,
  useState,
} from 'react'
import type { ConversationDetails, HeldMessage, Message } from '../../state/types.ts'
import { classNames } from '../../ui/class-names.ts'
import { t } from '../../words/t.ts'
import { Blocked, ComposerFoot, Modes, Others, useComposerCommands } from './composer-parts.tsx'
import { type Draft, withProposed, withReturned } from './drafts.ts'
import type { RichField } from './email/handle.ts'
import { EmojiButton } from './emoji-button.tsx'
import { MessageField } from './message-field.tsx'
import type { Outbox } from './outbox.ts'
import { useOwnPresence } from './presence.ts'
import { quotedOf, ReplyingTo } from './quoted-message.tsx'
import { useReturned } from './returned.ts'
import { SavedReplyButton } from './saved-reply-button.tsx'
import { NOTE_BOUNDS } from './uploads.ts'
import type { Actions } from './use-actions.ts'
import { useFileDrop } from './use-file-drop.ts'
import { useSavedReply } from './use-saved-reply.ts'
import { useSeen } from './use-seen.ts'
import { type Fields, focusIn, useSend } from './use-send.ts'
import { useWriting } from './use-writing.ts'

const EmailField = lazy(() => import('./email/email-field.tsx'))
const AfterwardsLine = lazy(() => import('./afterwards.tsx'))
const MentionPicker = lazy(() => import('./mention-picker.tsx'))
const ReplyAddress = lazy(() => import('./reply-address.tsx'))
const UploadList = lazy(() => import('./upload-list.tsx'))
const Suggestion = lazy(() => import('./suggestion.tsx'))
const TemplatePicker = lazy(() => import('./template-picker.tsx'))

/** What the thread calls on the composer. */
export type ComposerHandle = { quote: (message: Message) => void }

/** Changes the draft from outside of the field, and gets the cursor back into it. */
const useTakingUp = ({
  ref,
  fields,
  draft,
  change,
}: Pick<ReturnType<typeof useWriting>, 'draft' | 'change'> & {
  ref: Ref<ComposerHandle> | undefined
  fields: Fields
}) => {
  const takeUp = (next: Draft): void => {
    change(next)
    // Focus at once, so that the next keystroke is part of the text, and again if the field is mounted with the mode.
    focusIn(fields)
    setTimeout(() => focusIn(fields))
  }
  useImperativeHandle(ref, () => ({
    quote: (message) => takeUp({ ...draft, mode: 'reply', quoted: quotedOf(message) }),
  }))
  return { takeUp, setMode: (mode: Draft['mode']): void => takeUp({ ...draft, mode }) }
}

type Props = {
  ref?: Ref<ComposerHandle>
  details: ConversationDetails
  /** The newest message of the thread. */
  newestId: string | null
  outbox: Outbox
  actions: Actions | null
}

/** The dialog for templates: empty, or with one that was taken back. */
const useTemplatePicker = (details: ConversationDetails, seenId: RefObject<string | null>) => {
  const [picked, setPicked] = useState<HeldMessage['template'] | 'none'>(null)
  const given = picked === 'none' ? null : picked
  return {
    pick: () => setPicked('none'),
    takeUp: setPicked,
    dialog: picked && <TemplatePicker {...{ details, seenId, given }} onClose={() => setPicked(null)} />,
  }
}

export const Composer = ({ ref, details, newestId, outbox, actions }: Props) => {
  const { conversation, attachmentsAllowed } = details
  const { id, channel } = conversation
  const writing = useWriting(details)
  const { draft, change, text, files, uploads, length, replyWindow, isReply, isEmail, isBlocked, canSend } =
    writing
  const { mode } = draft
  const field = useRef<HTMLTextAreaElement>(null)
  const rich = useRef<RichField>(null)
  const fields = { field, rich }
  const fileInput = useRef<HTMLInputElement>(null)
  const onTyping = useOwnPresence(id)
  const seen = useSeen(newestId, text !== '')
  const template = useTemplatePicker(details, seen)

  const { takeUp, setMode } = useTakingUp({ ref, fields, draft, change })
  useReturned(id, (returned) => {
    seen.current = newestId
    if (returned.template) return template.takeUp(returned.template)
    takeUp(withReturned(draft, { html: null, mail: null, ...returned }))
    uploads[returned.kind].restore(returned.attachments)
  })
  const saved = useSavedReply({ draft, ...fields, takeUp, actions })
  const { send, isAsked, answer, cancel } = useSend({
    details,
    writing,
    seen,
    outbox,
    actions,
    fields,
  })
  const insert = (text: string, draftId: string): void => takeUp(withProposed(draft, text, draftId))
  const allowed = isReply ? attachmentsAllowed : NOTE_BOUNDS
  const addFiles = (list: File[]): void => {
    if (allowed && !isBlocked) files.add(list)
  }
  const drop = useFileDrop(allowed !== null, addFiles)
  const onAttach = allowed && (() => fileInput.current?.click())
  const onSavedReply = saved.open
  useComposerCommands({ channel, onMode: setMode, onTemplate: template.pick, onSavedReply, onAttach })

  return (
    <section
      className={classNames('composer', !isReply && 'composer--note', drop.isDragged && 'composer--dragged')}
      aria-label={t`Reply`}
      {...drop.handlers}
    >
      <Others conversationId={id} customer={conversation.contact.name} />
      <Suspense>
        {details.mayHaveDrafts && !isBlocked && (
          <Suggestion conversationId={id} insertedId={draft.fromId} onInsert={insert} />
        )}
      </Suspense>
      <div className="composer__box">
        <Modes mode={mode} msLeft={replyWindow.msLeft} onChoose={setMode} />
        {isReply && draft.quoted && !isBlocked && (
          <ReplyingTo quoted={draft.quoted} onRemove={() => takeUp({ ...draft, quoted: null })} />
        )}
        {isBlocked ? (
          <Blocked details={details} isTooLate={replyWindow.isClosed} onTemplate={template.pick} />
        ) : (
          <Field
            {...{ fields, details, draft, isEmail }}
            onChange={change}
            onTyping={onTyping}
            onSend={send}
            onSlash={saved.open}
            onFiles={addFiles}
          />
        )}
        {!isReply && <Names field={field} conversationId={id} draft={draft} onChange={change} />}
        <Suspense>
          {files.uploads.length > 0 && <UploadList uploads={files.uploads} onRemove={files.remove} />}
        </Suspense>
        {isReply && (
          <ReplyDetails
            after={draft.after}
            onJustSend={() => takeUp({ ...draft, after: null })}
            repliesTo={isAsked || details.repliesTo?.isOpen ? details.repliesTo : null}
            isAsked={isAsked}
            onChoose={answer}
            onCancel={cancel}
          />
        )}
        {!isBlocked && (
          <ComposerFoot
            details={details}
            mode={mode}
            length={length}
            canSend={canSend}
            fileInput={fileInput}
            filesMax={allowed?.max ?? 0}
            onFiles={addFiles}
            emoji={<EmojiButton fields={fields} draft={draft} takeUp={takeUp} />}
            onTemplate={template.pick}
            savedReplies={<SavedReplyButton saved={saved} conversation={conversation} />}
            rewriting={{ fields, text: draft.reply, isFormatted: draft.html !== null }}
            onSend={() => send()}
          />
        )}
      </div>
      <Suspense>{template.dialog}</Suspense>
    </section>
  )
}

type FieldProps = Omit<ComponentProps<typeof EmailField>, 'rich'> & { fields: Fields; isEmail: boolean }

const Field = ({ fields: { field, rich }, isEmail, ...props }: FieldProps) => {
  const { details, draft, onChange, onTyping } = props
  const { mode } = draft
  const isReply = mode === 'reply'
  return isEmail ? (
    <Suspense fallback={<div className="composer__field" />}>
      <EmailField rich={rich} {...props} />
    </Suspense>
  ) : (
    <MessageField
      field={field}
      mode={mode}
      channel={details.conversation.channel}
      text={draft[mode]}
      onChange={(next) => {
        onChange({ ...draft, [mode]: next, ...(isReply && next === '' && { fromId: null, after: null }) })
        if (isReply) onTyping()
      }}
      onSend={props.onSend}
      onSlash={isReply ? props.onSlash : null}
      onFiles={props.onFiles}
    />
  )
}

/** Teammates that a note can mention. */
const Names = ({
  draft,
  onChange,
  ...place
}: Pick<ComponentProps<typeof MentionPicker>, 'field' | 'conversationId'> & {
  draft: Draft
  onChange: (draft: Draft) => void
}) => (
  <Suspense>
    {draft.note.includes('@') && (
      <MentionPicker {...place} text={draft.note} onChange={(note) => onChange({ ...draft, note })} />
    )}
  </Suspense>
)

/** What goes with a reply: what is done after it, and the address it is sent to. */
const ReplyDetails = ({
  after,
  onJustSend,
  repliesTo,
  ...address
}: {
  after: Draft['after']
  onJustSend: () => void
  repliesTo: ConversationDetails['repliesTo']
} & Omit<ComponentProps<typeof ReplyAddress>, 'repliesTo'>) => (
  <>
    <Suspense>{after && <AfterwardsLine after={after} onRemove={onJustSend} />}</Suspense>
    <Suspense>{repliesTo && <ReplyAddress repliesTo={repliesTo} {...address} />}</Suspense>
  </>
)
