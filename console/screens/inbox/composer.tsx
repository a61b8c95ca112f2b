// Where replies are written. Reply and note each have a draft; messages are sent through the outbox.
import { FileText, Paperclip, Send, StickyNote } from 'lucide-react'
import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  lazy,
  type Ref,
  Suspense,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { usePreferences } from '../../state/preferences.ts'
import { useSession } from '../../state/session.tsx'
import type { ConversationDetails, Message } from '../../state/types.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Modes, Others, replyWay, SendKeys, useComposerCommands, WindowClosed } from './composer-parts.tsx'
import { type Draft, followDraft, readDraft, writeDraft } from './drafts.ts'
import type { Outbox } from './outbox.ts'
import { useOwnPresence } from './presence.ts'
import { quotedOf, ReplyingTo } from './quoted-message.tsx'
import { useUploads } from './uploads.ts'
import type { Actions } from './use-actions.ts'

const ReplyAddress = lazy(() => import('./reply-address.tsx'))
const UploadList = lazy(() => import('./upload-list.tsx'))
const TemplatePicker = lazy(() => import('./template-picker.tsx'))

const REPLY_MAX = 2000
const NOTE_MAX = 4000
const COUNT_SHOWN_FROM = 0.8
const MINUTE_MS = 60_000

const lengthOf = (text: string): number => [...text].length

/** Updates once a minute, for countdowns. */
const useNow = (): number => {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS / 2)
    return () => clearInterval(timer)
  }, [])
  return now
}

/** What the thread calls on the composer. */
export type ComposerHandle = { quote: (message: Message) => void }

export const Composer = ({
  ref,
  details,
  outbox,
  actions,
}: {
  ref?: Ref<ComposerHandle>
  details: ConversationDetails
  outbox: Outbox
  actions: Actions | null
}) => {
  const { api, session, workspace } = useSession()
  const { sendWith } = usePreferences()
  const { conversation, attachmentsAllowed, replyWindow, canReply, cannotReplyReason, repliesTo } = details
  const id = conversation.id
  const [draft, setDraft] = useState<Draft>(() => readDraft({ session, workspace }, id))
  const [isPickerOpen, setPickerOpen] = useState(false)
  const [isDragged, setDragged] = useState(false)
  /** Set while asking which address the reply should go to. */
  const [asked, setAsked] = useState<{ thenClose: boolean } | null>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const fileInput = useRef<HTMLInputElement>(null)
  const files = useUploads(api, attachmentsAllowed)
  const onTyping = useOwnPresence(id)
  const now = useNow()

  const msLeft = replyWindow?.closesAt ? Date.parse(replyWindow.closesAt) - now : null
  const isWindowClosed = replyWindow !== null && (!replyWindow.isOpen || (msLeft !== null && msLeft <= 0))
  const { mode } = draft
  const text = draft[mode]
  const bound = mode === 'reply' ? REPLY_MAX : NOTE_MAX
  const length = lengthOf(text)
  const isUploading = files.uploads.some(({ attachment, problem }) => !attachment && !problem)
  const ready = files.uploads.flatMap(({ attachment }) => attachment ?? [])
  const isBlocked = mode === 'reply' && (isWindowClosed || !canReply)
  const hasSomething = text.trim() !== '' || (mode === 'reply' && ready.length > 0)
  const canSend = hasSomething && length <= bound && !isBlocked && (mode === 'note' || !isUploading)

  const change = useCallback(
    (next: Draft) => {
      setDraft(next)
      writeDraft({ session, workspace }, id, next)
    },
    [session, workspace, id],
  )
  useEffect(() => followDraft({ session, workspace }, id, setDraft), [session, workspace, id])
  const takeUp = (next: Draft): void => {
    change(next)
    // Focus at once, so that the next keystroke is part of the text, and again if the field is mounted with the mode.
    field.current?.focus()
    setTimeout(() => field.current?.focus())
  }
  const setMode = (next: Draft['mode']): void => takeUp({ ...draft, mode: next })
  useImperativeHandle(ref, () => ({
    quote: (message) => takeUp({ ...draft, mode: 'reply', quoted: quotedOf(message) }),
  }))

  // biome-ignore lint/correctness/useExhaustiveDependencies: the height depends on the text
  useLayoutEffect(() => {
    const element = field.current
    if (!element) return
    element.style.height = 'auto'
    element.style.height = `${element.scrollHeight}px`
  }, [text, mode, isBlocked])

  const send = (thenClose = false, sendTo?: string): void => {
    if (!canSend) return
    if (mode === 'reply' && repliesTo?.isOpen && sendTo === undefined) {
      setAsked({ thenClose })
      return
    }
    setAsked(null)
    const isReply = mode === 'reply'
    outbox.send({
      kind: mode,
      body: text.trim(),
      attachments: isReply ? ready : [],
      sendTo,
      quoted: isReply ? draft.quoted : null,
    })
    change({ ...draft, [mode]: '', ...(isReply && { quoted: null }) })
    if (mode === 'reply') files.clear()
    if (thenClose) void actions?.close()
    field.current?.focus()
  }

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') {
      event.preventDefault()
      event.stopPropagation()
      field.current?.blur()
      return
    }
    if (event.key !== 'Enter') return
    const isMod = event.ctrlKey || event.metaKey
    if (isMod || (sendWith === 'enter' && !event.shiftKey && !event.altKey)) {
      event.preventDefault()
      send(isMod && event.shiftKey)
    }
  }

  const addFiles = (list: Iterable<File>): void => {
    if (mode === 'reply' && attachmentsAllowed && !isBlocked) files.add(list)
  }
  const onPaste = (event: ClipboardEvent): void => {
    if (event.clipboardData.files.length === 0) return
    event.preventDefault()
    addFiles([...event.clipboardData.files])
  }
  const onDrop = (event: DragEvent): void => {
    if (event.dataTransfer.files.length === 0) return
    event.preventDefault()
    setDragged(false)
    addFiles([...event.dataTransfer.files])
  }

  useComposerCommands({
    channel: conversation.channel,
    onMode: setMode,
    onTemplate: () => setPickerOpen(true),
    onAttach: attachmentsAllowed ? () => fileInput.current?.click() : null,
  })

  return (
    <section
      className={classNames(
        'composer',
        mode === 'note' && 'composer--note',
        isDragged && 'composer--dragged',
      )}
      aria-label="Reply"
      onDragOver={(event) => {
        if (mode !== 'reply' || !attachmentsAllowed || ![...event.dataTransfer.types].includes('Files'))
          return
        event.preventDefault()
        setDragged(true)
      }}
      onDragLeave={() => setDragged(false)}
      onDrop={onDrop}
    >
      <Others conversationId={id} customer={conversation.contact.name} />
      <div className="composer__box">
        <Modes mode={mode} msLeft={isWindowClosed ? null : msLeft} onChoose={setMode} />
        {mode === 'reply' && draft.quoted && !isBlocked && (
          <ReplyingTo quoted={draft.quoted} onRemove={() => takeUp({ ...draft, quoted: null })} />
        )}
        {mode === 'reply' && isWindowClosed ? (
          <WindowClosed channel={conversation.channel} onTemplate={() => setPickerOpen(true)} />
        ) : mode === 'reply' && !canReply ? (
          <div className="composer__closed">
            <p className="grow">{cannotReplyReason ?? 'You can’t reply here.'}</p>
          </div>
        ) : (
          <textarea
            ref={field}
            className="composer__field"
            dir="auto"
            rows={2}
            aria-label={mode === 'reply' ? 'Reply' : 'Note'}
            aria-describedby="composer-count"
            placeholder={
              mode === 'reply'
                ? `Reply ${replyWay(conversation.channel)}…`
                : 'Internal note, only visible to your team'
            }
            value={text}
            onChange={(event) => {
              change({ ...draft, [mode]: event.target.value })
              if (mode === 'reply') onTyping()
            }}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
          />
        )}
        {mode === 'reply' && files.uploads.length > 0 && (
          <Suspense>
            <UploadList uploads={files.uploads} onRemove={files.remove} />
          </Suspense>
        )}
        {mode === 'reply' && repliesTo && (asked || !isBlocked) && (
          <Suspense>
            <ReplyAddress
              repliesTo={repliesTo}
              isAsked={asked !== null}
              onChoose={(address) => asked && send(asked.thenClose, address)}
              onCancel={() => setAsked(null)}
            />
          </Suspense>
        )}
        {!isBlocked && (
          <div className="composer__foot">
            {mode === 'reply' && attachmentsAllowed && (
              <>
                <input
                  ref={fileInput}
                  type="file"
                  multiple={attachmentsAllowed.max > 1}
                  hidden
                  onChange={(event) => {
                    addFiles([...(event.target.files ?? [])])
                    event.target.value = ''
                  }}
                />
                <IconButton
                  icon={Paperclip}
                  label="Attach a file"
                  onClick={() => fileInput.current?.click()}
                />
              </>
            )}
            {mode === 'reply' && conversation.channel === 'whatsapp' && (
              <IconButton
                icon={FileText}
                label="Send a template"
                keys="t"
                onClick={() => setPickerOpen(true)}
              />
            )}
            <span
              id="composer-count"
              className={classNames('composer__count', length > bound && 'text-danger')}
              aria-live="polite"
            >
              {length > bound * COUNT_SHOWN_FROM && `${length} of ${bound}`}
            </span>
            <SendKeys />
            <Button
              variant={mode === 'reply' ? 'primary' : 'secondary'}
              icon={mode === 'reply' ? Send : StickyNote}
              disabled={!canSend}
              onClick={() => send()}
            >
              {mode === 'reply' ? 'Send' : 'Add note'}
            </Button>
          </div>
        )}
      </div>
      {isPickerOpen && (
        <Suspense>
          <TemplatePicker details={details} onClose={() => setPickerOpen(false)} />
        </Suspense>
      )}
    </section>
  )
}
