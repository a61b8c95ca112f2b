// The composer's display parts: who else is here, reply or note, and which keys send.
import { CornerDownLeft, FileText, MessageSquareText, Paperclip, Send, StickyNote } from 'lucide-react'
import { lazy, type ReactNode, type RefObject, Suspense } from 'react'
import { useCommands } from '../../state/commands.ts'
import { durationOf } from '../../state/dates.ts'
import { usePreferences } from '../../state/preferences.ts'
import type { Channel, ConversationDetails } from '../../state/types.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { channelName } from '../../ui/channel-name.ts'
import { classNames } from '../../ui/class-names.ts'
import { MOD_ENTER } from '../../ui/kbd.tsx'
import { Menu } from '../../ui/menu.tsx'
import { rich, t } from '../../words/t.ts'
import { useCustomerTyping } from './customer-typing.ts'
import type { Draft } from './drafts.ts'
import { useOthers } from './others.ts'
import type { Rewriting } from './rewrite.tsx'

const SuggestionButtons = lazy(async () => ({
  default: (await import('./suggestion.tsx')).SuggestionButtons,
}))

const SendChoices = lazy(() => import('./send-choices.tsx'))

const WAYS: Record<string, string> = { email: t`by email`, sms: t`by SMS`, web: t`in web chat` }
export const replyWay = (channel: string): string => WAYS[channel] ?? t`on ${channelName(channel)}`

const WINDOW_SOON_MS = 2 * 3_600_000

const MODES = [
  { id: 'reply', label: t`Reply`, tip: t`Reply to the customer`, key: 'r' },
  { id: 'note', label: t`Note`, tip: t`Only visible to your team`, key: 'n' },
] as const

/** Reply or note, and the time left to reply (null: no limit, or no longer possible). */
export const Modes = ({
  mode,
  msLeft,
  onChoose,
}: {
  mode: Draft['mode']
  msLeft: number | null
  onChoose: (mode: Draft['mode']) => void
}) => (
  <div className="composer__modes">
    {MODES.map(({ id, label, tip, key }) => (
      <button
        key={id}
        type="button"
        className="composer__mode"
        aria-pressed={mode === id}
        data-tip={tip}
        data-tip-keys={key}
        onClick={() => onChoose(id)}
      >
        {label}
      </button>
    ))}
    {mode === 'reply' && msLeft !== null && (
      <span
        className={msLeft < WINDOW_SOON_MS ? 'composer__window composer__window--soon' : 'composer__window'}
        title={t`Free-form replies are allowed for 24 hours after the last customer message.`}
      >
        {rich`${durationOf(msLeft)} left to reply`}
      </span>
    )}
  </div>
)

const WindowClosed = ({ channel, onTemplate }: { channel: Channel; onTemplate: () => void }) => (
  <div className="composer__closed">
    <div className="grow">
      <p className="text-strong">{t`The 24-hour reply window is closed`}</p>
      <p className="text-soft text-small">
        {rich`${channelName(channel)} only accepts approved templates until the customer writes again.`}
      </p>
    </div>
    <Button variant="primary" icon={FileText} onClick={onTemplate}>
      {t`Send a template`}
    </Button>
  </div>
)

const CannotReply = ({ reason }: { reason: string | null }) => (
  <div className="composer__closed">
    <p className="grow">{reason ?? t`You can’t reply here.`}</p>
  </div>
)

/** Instead of the field. */
export const Blocked = ({
  details: { conversation, cannotReplyReason },
  isTooLate,
  onTemplate,
}: {
  details: ConversationDetails
  isTooLate: boolean
  onTemplate: () => void
}) =>
  isTooLate ? (
    <WindowClosed channel={conversation.channel} onTemplate={onTemplate} />
  ) : (
    <CannotReply reason={cannotReplyReason} />
  )

/** In an email, Enter is always a new line. */
export const sendsWithEnter = (channel: Channel, mode: Draft['mode'], sendWith: string): boolean =>
  sendWith === 'enter' && (channel !== 'email' || mode === 'note')

/** Which keys send, and for how long it can be undone. */
const SendKeys = ({ channel, mode }: { channel: Channel; mode: Draft['mode'] }) => {
  const { sendWith } = usePreferences()
  return (
    <Menu
      label={t`How to send`}
      trigger={
        <button type="button" className="composer__how">
          {sendsWithEnter(channel, mode, sendWith) ? t`Enter to send` : t`${MOD_ENTER} to send`}
        </button>
      }
      side="top"
    >
      <Suspense>
        <SendChoices isEmail={channel === 'email' && mode === 'reply'} />
      </Suspense>
    </Menu>
  )
}

export const lengthMax = (channel: Channel, mode: Draft['mode']): number =>
  mode === 'note' ? 4000 : channel === 'email' ? 50_000 : 2000
const COUNT_SHOWN_FROM = 0.8

/** The tools, the length once it nears its limit, and the button that sends. */
export const ComposerFoot = ({
  details: { conversation, isAutomated },
  mode,
  length,
  canSend,
  fileInput,
  filesMax,
  onFiles,
  onTemplate,
  emoji,
  savedReplies,
  rewriting,
  onSend,
}: {
  details: ConversationDetails
  mode: Draft['mode']
  length: number
  canSend: boolean
  fileInput: RefObject<HTMLInputElement | null>
  filesMax: number
  onFiles: (files: File[]) => void
  onTemplate: () => void
  emoji: ReactNode
  /** The button that opens them. */
  savedReplies: ReactNode
  rewriting: Rewriting
  onSend: () => void
}) => {
  const max = lengthMax(conversation.channel, mode)
  const isReply = mode === 'reply'
  return (
    <div className="composer__foot">
      {filesMax > 0 && <AttachButton input={fileInput} isMultiple={filesMax > 1} onFiles={onFiles} />}
      {emoji}
      {isReply && conversation.channel === 'whatsapp' && (
        <IconButton icon={FileText} label={t`Send a template`} keys="t" onClick={onTemplate} />
      )}
      {isReply && savedReplies}
      <Suspense>
        {isReply && isAutomated && <SuggestionButtons conversationId={conversation.id} {...rewriting} />}
      </Suspense>
      <span
        id="composer-count"
        className={classNames('composer__count', length > max && 'text-danger')}
        aria-live="polite"
      >
        {length > max * COUNT_SHOWN_FROM && t`${length} of ${max}`}
      </span>
      <SendKeys channel={conversation.channel} mode={mode} />
      <Button
        variant={isReply ? 'primary' : 'secondary'}
        icon={isReply ? Send : StickyNote}
        disabled={!canSend}
        onClick={onSend}
      >
        {isReply ? t`Send` : t`Add note`}
      </Button>
    </div>
  )
}

const AttachButton = ({
  input,
  isMultiple,
  onFiles,
}: {
  input: RefObject<HTMLInputElement | null>
  isMultiple: boolean
  onFiles: (files: File[]) => void
}) => (
  <>
    <input
      ref={input}
      type="file"
      multiple={isMultiple}
      hidden
      onChange={(event) => {
        onFiles([...(event.target.files ?? [])])
        event.target.value = ''
      }}
    />
    <IconButton icon={Paperclip} label={t`Attach a file`} onClick={() => input.current?.click()} />
  </>
)

/** `onAttach` is null if the channel doesn't support files. */
export const useComposerCommands = ({
  channel,
  onMode,
  onTemplate,
  onSavedReply,
  onAttach,
}: {
  channel: Channel
  onMode: (mode: Draft['mode']) => void
  onTemplate: () => void
  onSavedReply: () => void
  onAttach: (() => void) | null
}): void =>
  useCommands([
    {
      id: 'reply',
      label: t`Reply`,
      group: t`Conversation`,
      keys: 'r',
      icon: CornerDownLeft,
      run: () => onMode('reply'),
    },
    {
      id: 'note',
      label: t`Add a note`,
      group: t`Conversation`,
      keys: 'n',
      icon: StickyNote,
      run: () => onMode('note'),
    },
    {
      id: 'saved reply',
      label: t`Insert a saved reply`,
      group: t`Conversation`,
      keys: ';',
      icon: MessageSquareText,
      run: onSavedReply,
    },
    ...(channel === 'whatsapp'
      ? [
          {
            id: 'template',
            label: t`Send a template`,
            group: t`Conversation`,
            keys: 't',
            icon: FileText,
            run: onTemplate,
          },
        ]
      : []),
    ...(onAttach
      ? [
          {
            id: 'attach',
            label: t`Attach a file`,
            group: t`Conversation`,
            icon: Paperclip,
            run: onAttach,
          },
        ]
      : []),
  ])

/** Shows who else is here, so that two agents don't both reply. */
export const Others = ({ conversationId, customer }: { conversationId: string; customer: string }) => {
  const others = useOthers(conversationId)
  const isCustomerTyping = useCustomerTyping(conversationId)
  const [first] = others
  if (!first)
    return isCustomerTyping ? (
      <p className="presence presence--typing" role="status">
        <span className="presence__dot" aria-hidden />
        {rich`${<bdi className="text-strong">{customer}</bdi>} is typing`}
      </p>
    ) : null
  const isTyping = first.state === 'typing'
  return (
    <p className={isTyping ? 'presence presence--typing' : 'presence'} role="status">
      <span className="presence__dot" aria-hidden />
      <bdi className="text-strong">{first.nickname}</bdi>{' '}
      {others.length > 1 && <>{rich`and ${others.length - 1} more`} </>}
      {isTyping ? t`is replying` : others.length > 1 ? t`are viewing` : t`is viewing`}
    </p>
  )
}
