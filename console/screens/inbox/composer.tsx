// Where the answer is written. Reply and note keep a draft each; what is sent goes through the outbox.
import { CornerDownLeft, FileText, Paperclip, Send, StickyNote, X } from 'lucide-react'
import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  lazy,
  Suspense,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useCommands } from '../../state/commands.ts'
import { durationOf, sizeOf } from '../../state/dates.ts'
import { setPreference, usePreferences } from '../../state/preferences.ts'
import { useSession } from '../../state/session.tsx'
import type { ConversationDetails } from '../../state/types.ts'
import { channelName } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Menu, MenuChoice } from '../../ui/menu.tsx'
import { type Draft, followDraft, readDraft, writeDraft } from './drafts.ts'
import type { Outbox } from './outbox.ts'
import { useCustomerTyping, useOthers, useOwnPresence } from './presence.ts'
import { useUploads } from './uploads.ts'
import type { Actions } from './use-actions.ts'

const TemplatePicker = lazy(() => import('./template-picker.tsx'))

const REPLY_MAX = 2000
const NOTE_MAX = 4000
const COUNT_SHOWN_FROM = 0.8
const WINDOW_SOON_MS = 2 * 3_600_000
const MINUTE_MS = 60_000

const lengthOf = (text: string): number => [...text].length

/** Ticks once a minute, for what counts down. */
const useNow = (): number => {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS / 2)
    return () => clearInterval(timer)
  }, [])
  return now
}

export const Composer = ({
  details,
  outbox,
  actions,
}: {
  details: ConversationDetails
  outbox: Outbox
  actions: Actions | null
}) => {
  const { api, session, workspace } = useSession()
  const { sendWith } = usePreferences()
  const { conversation, attachmentsAllowed, replyWindow, canReply, cannotReplyReason } = details
  const id = conversation.id
  const [draft, setDraft] = useState<Draft>(() => readDraft({ session, workspace }, id))
  const [isPickerOpen, setPickerOpen] = useState(false)
  const [isDragged, setDragged] = useState(false)
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
  const setMode = (next: Draft['mode']): void => {
    change({ ...draft, mode: next })
    // At once, so that the next key is already part of the text; and again where the field comes with the mode.
    field.current?.focus()
    setTimeout(() => field.current?.focus())
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is what its height depends on
  useLayoutEffect(() => {
    const element = field.current
    if (!element) return
    element.style.height = 'auto'
    element.style.height = `${element.scrollHeight}px`
  }, [text, mode, isBlocked])

  const send = (thenClose = false): void => {
    if (!canSend) return
    outbox.send(mode, text.trim(), mode === 'reply' ? ready : [])
    change({ ...draft, [mode]: '' })
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

  useCommands([
    {
      id: 'reply',
      label: 'Reply',
      group: 'Conversation',
      keys: 'r',
      icon: CornerDownLeft,
      run: () => setMode('reply'),
    },
    {
      id: 'note',
      label: 'Add a note',
      group: 'Conversation',
      keys: 'n',
      icon: StickyNote,
      run: () => setMode('note'),
    },
    ...(conversation.channel === 'whatsapp'
      ? [
          {
            id: 'template',
            label: 'Send a template',
            group: 'Conversation',
            keys: 't',
            icon: FileText,
            run: () => setPickerOpen(true),
          },
        ]
      : []),
    ...(attachmentsAllowed
      ? [
          {
            id: 'attach',
            label: 'Attach a file',
            group: 'Conversation',
            icon: Paperclip,
            run: () => fileInput.current?.click(),
          },
        ]
      : []),
  ])

  return (
    <section
      className={classNames(
        'composer',
        mode === 'note' && 'composer--note',
        isDragged && 'composer--dragged',
      )}
      aria-label="Answer"
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
        <div className="composer__modes">
          <button
            type="button"
            className="composer__mode"
            aria-pressed={mode === 'reply'}
            data-tip="Write to the customer"
            data-tip-keys="r"
            onClick={() => setMode('reply')}
          >
            Reply
          </button>
          <button
            type="button"
            className="composer__mode"
            aria-pressed={mode === 'note'}
            data-tip="Write to your team only"
            data-tip-keys="n"
            onClick={() => setMode('note')}
          >
            Note
          </button>
          {mode === 'reply' && msLeft !== null && !isWindowClosed && (
            <span
              className={
                msLeft < WINDOW_SOON_MS ? 'composer__window composer__window--soon' : 'composer__window'
              }
              title="WhatsApp lets you answer freely for 24 hours after the customer’s last message."
            >
              {durationOf(msLeft)} left to reply
            </span>
          )}
        </div>
        {mode === 'reply' && isWindowClosed ? (
          <div className="composer__closed">
            <div className="grow">
              <p className="text-strong">The 24-hour reply window is closed</p>
              <p className="text-soft text-small">
                {channelName(conversation.channel)} now takes only approved templates, until the customer
                writes again.
              </p>
            </div>
            <Button variant="primary" icon={FileText} onClick={() => setPickerOpen(true)}>
              Send a template
            </Button>
          </div>
        ) : mode === 'reply' && !canReply ? (
          <div className="composer__closed">
            <p className="grow">{cannotReplyReason ?? 'You cannot reply here.'}</p>
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
                ? `Reply on ${channelName(conversation.channel)}…`
                : 'A note for your team. The customer never sees it.'
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
          <ul className="uploads">
            {files.uploads.map(({ key, name, size, progress, attachment, problem }) => (
              <li key={key} className={problem ? 'upload upload--failed' : 'upload'}>
                <bdi className="truncate">{name}</bdi>
                <span className="upload__about numeric">
                  {problem ?? (attachment ? sizeOf(size) : `${Math.round(progress * 100)} %`)}
                </span>
                <IconButton
                  icon={X}
                  size="small"
                  label={`Remove ${name}`}
                  hasTooltip={false}
                  onClick={() => files.remove(key)}
                />
                {!attachment && !problem && (
                  <progress
                    className="upload__bar"
                    value={progress}
                    max={1}
                    aria-label={`Uploading ${name}`}
                  />
                )}
              </li>
            ))}
          </ul>
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
            <Menu
              label="How to send"
              trigger={
                <button type="button" className="composer__how">
                  {sendWith === 'enter' ? 'Enter sends' : 'Ctrl Enter sends'}
                </button>
              }
              side="top"
            >
              <MenuChoice
                isChosen={sendWith === 'enter'}
                onSelect={() => setPreference({ sendWith: 'enter' })}
              >
                Enter sends, Shift Enter makes a line
              </MenuChoice>
              <MenuChoice
                isChosen={sendWith === 'mod+enter'}
                onSelect={() => setPreference({ sendWith: 'mod+enter' })}
              >
                Ctrl Enter sends, Enter makes a line
              </MenuChoice>
            </Menu>
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

/** Who else is here, so that two do not answer the same. */
const Others = ({ conversationId, customer }: { conversationId: string; customer: string }) => {
  const others = useOthers(conversationId)
  const isCustomerTyping = useCustomerTyping(conversationId)
  const [first] = others
  if (!first)
    return isCustomerTyping ? (
      <p className="presence presence--typing" role="status">
        <span className="presence__dot" aria-hidden />
        <bdi className="text-strong">{customer}</bdi> is typing
      </p>
    ) : null
  const isTyping = first.state === 'typing'
  return (
    <p className={isTyping ? 'presence presence--typing' : 'presence'} role="status">
      <span className="presence__dot" aria-hidden />
      <bdi className="text-strong">{first.nickname}</bdi>{' '}
      {others.length > 1 && <>and {others.length - 1} more </>}
      {isTyping ? 'is answering' : others.length > 1 ? 'are looking at this' : 'is looking at this'}
    </p>
  )
}
