// Where replies are written. Reply and note each have a draft; messages are sent through the outbox.
import {
  type ComponentProps,
  lazy,
  type Ref,
  type RefObject,
  Suspense,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from 'react'
import { useApi } from '../../state/session.tsx'
import type { ConversationDetails, HeldMessage, Message } from '../../state/types.ts'
import { classNames } from '../../ui/class-names.ts'
import { Blocked, ComposerFoot, LENGTH_MAX, Modes, Others, useComposerCommands } from './composer-parts.tsx'
import { type Draft, useDraft, withProposed, withReturned } from './drafts.ts'
import { MessageField } from './message-field.tsx'
import type { Outbox } from './outbox.ts'
import { useOwnPresence } from './presence.ts'
import { quotedOf, ReplyingTo } from './quoted-message.tsx'
import { useReturned } from './returned.ts'
import { SavedReplyButton } from './saved-reply-button.tsx'
import { useUploads } from './uploads.ts'
import type { Actions } from './use-actions.ts'
import { useFileDrop } from './use-file-drop.ts'
import { type SavedReplies, useSavedReply } from './use-saved-reply.ts'
import { useSeen } from './use-seen.ts'

const AfterwardsLine = lazy(() => import('./afterwards.tsx'))
const MentionPicker = lazy(() => import('./mention-picker.tsx'))
const ReplyAddress = lazy(() => import('./reply-address.tsx'))
const UploadList = lazy(() => import('./upload-list.tsx'))
const Suggestion = lazy(() => import('./suggestion.tsx'))
const TemplatePicker = lazy(() => import('./template-picker.tsx'))

const MINUTE_MS = 60_000

/** Updates once a minute, for countdowns. */
const useNow = (): number => {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS / 2)
    return () => clearInterval(timer)
  }, [])
  return now
}

/** Whether the reply window is closed, and the time left in it (null: no limit, or closed). */
const useReplyWindow = (replyWindow: ConversationDetails['replyWindow']) => {
  const now = useNow()
  const msLeft = replyWindow?.closesAt ? Date.parse(replyWindow.closesAt) - now : null
  const isClosed = replyWindow !== null && (!replyWindow.isOpen || (msLeft !== null && msLeft <= 0))
  return { isClosed, msLeft: isClosed ? null : msLeft }
}

/** The reply or note being written, and whether it can be sent. */
const useWriting = ({ conversation, attachmentsAllowed, canReply, ...details }: ConversationDetails) => {
  const [draft, change] = useDraft(conversation.id)
  const files = useUploads(useApi(), attachmentsAllowed, conversation.id)
  const replyWindow = useReplyWindow(details.replyWindow)
  const { mode } = draft
  const isReply = mode === 'reply'
  const text = draft[mode]
  const length = [...text].length
  const ready = isReply ? files.ready : []
  const isBlocked = isReply && (replyWindow.isClosed || !canReply)
  const hasSomething = text.trim() !== '' || ready.length > 0
  const canSend = hasSomething && length <= LENGTH_MAX[mode] && !isBlocked && !(isReply && files.isUploading)
  return { draft, change, text, files, ready, length, replyWindow, isReply, isBlocked, canSend }
}

/** What the thread calls on the composer. */
export type ComposerHandle = { quote: (message: Message) => void }

/** Changes the draft from outside of the field, and gets the cursor back into it. */
const useTakingUp = ({
  ref,
  field,
  draft,
  change,
}: Pick<ReturnType<typeof useWriting>, 'draft' | 'change'> & {
  ref: Ref<ComposerHandle> | undefined
  field: RefObject<HTMLTextAreaElement | null>
}) => {
  const takeUp = (next: Draft): void => {
    change(next)
    // Focus at once, so that the next keystroke is part of the text, and again if the field is mounted with the mode.
    field.current?.focus()
    setTimeout(() => field.current?.focus())
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

type Sending = Pick<Props, 'details' | 'outbox'> & {
  writing: ReturnType<typeof useWriting>
  follow: SavedReplies['follow']
  seen: RefObject<string | null>
  field: RefObject<HTMLTextAreaElement | null>
}

/** Sends what was written, after asking which of two addresses an email goes to. */
const useSend = ({ details: { repliesTo }, writing, seen, outbox, follow, field }: Sending) => {
  const { draft, change, text, files, ready, isReply, canSend } = writing
  const { mode } = draft
  const [asked, setAsked] = useState<{ thenClose: boolean } | null>(null)

  const send = (thenClose = false, sendTo?: string): void => {
    if (!canSend) return
    if (isReply && repliesTo?.isOpen && sendTo === undefined) {
      setAsked({ thenClose })
      return
    }
    setAsked(null)
    const quoted = isReply ? draft.quoted : null
    const draftId = isReply ? draft.fromId : null
    const after = isReply ? draft.after : null
    const closes = thenClose || after?.closes === true
    outbox.send({
      ...{ kind: mode, body: text.trim(), attachments: ready, sendTo, quoted, draftId },
      ...(isReply && { seenId: seen.current, thenClose: closes }),
    })
    change({ ...draft, [mode]: '', ...(isReply && { quoted: null, fromId: null, after: null }) })
    if (isReply) files.clear()
    // A reply is closed with its sending.
    void follow(after && { ...after, closes: false }, thenClose && !isReply)
    field.current?.focus()
  }

  return {
    send,
    isAsked: asked !== null,
    answer: (address: string): void => {
      if (asked) send(asked.thenClose, address)
    },
    cancel: () => setAsked(null),
  }
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
  const { draft, change, text, files, length, replyWindow, isReply, isBlocked, canSend } = writing
  const { mode } = draft
  const field = useRef<HTMLTextAreaElement>(null)
  const fileInput = useRef<HTMLInputElement>(null)
  const onTyping = useOwnPresence(id)
  const seen = useSeen(newestId, text !== '')
  const template = useTemplatePicker(details, seen)

  const { takeUp, setMode } = useTakingUp({ ref, field, draft, change })
  useReturned(id, (returned) => {
    seen.current = newestId
    if (returned.template) return template.takeUp(returned.template)
    takeUp(withReturned(draft, returned))
    files.restore(returned.attachments)
  })
  const saved = useSavedReply({ contactId: conversation.contact.id, draft, field, takeUp, actions })
  const { send, isAsked, answer, cancel } = useSend({
    details,
    writing,
    seen,
    outbox,
    follow: saved.follow,
    field,
  })
  const insert = (text: string, draftId: string): void => takeUp(withProposed(draft, text, draftId))
  const addFiles = (list: File[]): void => {
    if (isReply && attachmentsAllowed && !isBlocked) files.add(list)
  }
  const drop = useFileDrop(isReply && attachmentsAllowed !== null, addFiles)
  const onAttach = attachmentsAllowed && (() => fileInput.current?.click())
  const onSavedReply = saved.open
  useComposerCommands({ channel, onMode: setMode, onTemplate: template.pick, onSavedReply, onAttach })

  return (
    <section
      className={classNames('composer', !isReply && 'composer--note', drop.isDragged && 'composer--dragged')}
      aria-label="Reply"
      {...drop.handlers}
    >
      <Others conversationId={id} customer={conversation.contact.name} />
      <Suspense>
        {details.isAutomated && !isBlocked && (
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
          <MessageField
            field={field}
            mode={mode}
            channel={channel}
            text={text}
            onChange={(next) => {
              change({ ...draft, [mode]: next, ...(isReply && next === '' && { fromId: null, after: null }) })
              if (isReply) onTyping()
            }}
            onSend={send}
            onSlash={isReply ? saved.open : null}
            onFiles={addFiles}
          />
        )}
        {!isReply && <Names field={field} conversationId={id} draft={draft} onChange={change} />}
        {isReply && (
          <ReplyDetails
            files={files}
            after={draft.after}
            onJustSend={() => takeUp({ ...draft, after: null })}
            repliesTo={isAsked || !isBlocked ? details.repliesTo : null}
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
            onFiles={addFiles}
            onTemplate={template.pick}
            savedReplies={<SavedReplyButton saved={saved} conversation={conversation} />}
            onSend={() => send()}
          />
        )}
      </div>
      <Suspense>{template.dialog}</Suspense>
    </section>
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

/** What goes with a reply: its files, what is done after it, and the address it is sent to. */
const ReplyDetails = ({
  files,
  after,
  onJustSend,
  repliesTo,
  ...address
}: {
  files: ReturnType<typeof useUploads>
  after: Draft['after']
  onJustSend: () => void
  repliesTo: ConversationDetails['repliesTo']
} & Omit<ComponentProps<typeof ReplyAddress>, 'repliesTo'>) => (
  <>
    <Suspense>
      {files.uploads.length > 0 && <UploadList uploads={files.uploads} onRemove={files.remove} />}
    </Suspense>
    <Suspense>{after && <AfterwardsLine after={after} onRemove={onJustSend} />}</Suspense>
    <Suspense>{repliesTo && <ReplyAddress repliesTo={repliesTo} {...address} />}</Suspense>
  </>
)
