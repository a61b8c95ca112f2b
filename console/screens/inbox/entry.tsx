// One entry of a thread: a message by the customer, an agent or a program, a system entry, or an internal note.
import { Bot, Braces, ChevronRight, Forward, Workflow } from 'lucide-react'
import { lazy, memo, type ReactNode, Suspense, useState } from 'react'
import { isUntilReply } from '../../state/conversations.ts'
import { dateTimeOf, fullMoment, timeOf } from '../../state/dates.ts'
import { useSession } from '../../state/session.tsx'
import type { ConversationDetails, Message, TimelineEntry } from '../../state/types.ts'
import { Avatar, Badge } from '../../ui/badge.tsx'
import { classNames } from '../../ui/class-names.ts'
import { LinkedText } from '../../ui/linked-text.tsx'
import { MarkedText } from '../../ui/marked-text.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { LANGUAGE } from '../../words/locale.ts'
import { rich, t } from '../../words/t.ts'
import { Delivery, Failure } from './delivery.tsx'
import { type Choices, metaOf } from './metadata.ts'
import { NoteEntry } from './note-entry.tsx'
import { canBeQuoted, Quote, ReplyToThis } from './quoted-message.tsx'

const Attachments = lazy(() => import('./attachments.tsx'))
const MailBody = lazy(() => import('./mail-body.tsx'))
const FlowRun = lazy(() => import('./flow-run.tsx'))
const MakeAnswer = lazy(() => import('./make-answer.tsx'))
const Reactions = lazy(() => import('./reactions.tsx'))
const ReactTo = lazy(() => import('./react-to.tsx'))
const AiTurn = lazy(() => import('./ai-turn.tsx'))
const SaidLine = lazy(() => import('./said-line.tsx'))

type OnReply = ((message: Message) => void) | undefined
type Marks = {
  isFirst: boolean
  isLast: boolean
  onReply: OnReply
  /** What the team can react with. */
  reactions: ConversationDetails['reactions']
}

export const Entry = memo(({ entry, ...marks }: { entry: TimelineEntry } & Marks) => {
  if (entry.kind === 'note') return <NoteEntry note={entry.note} />
  const { message } = entry
  if (message.senderType === 'system') return <SystemEntry message={message} />
  return <MessageEntry message={message} {...marks} />
})

/** The line of a snooze has its time in UTC. */
const systemWords = ({ body, metadata }: Message): string => {
  const { event, until } = (metadata ?? {}) as { event?: string; until?: string }
  return event !== 'snoozed' || !until || isUntilReply(until)
    ? body
    : `${body.slice(0, body.lastIndexOf(' until '))} until ${dateTimeOf(until)}`
}

/** The server writes the thread's lines in English. */
const SystemWords = ({ message }: { message: Message }) =>
  LANGUAGE === 'en' ? (
    systemWords(message)
  ) : (
    <Suspense fallback="…">
      <SaidLine english={systemWords(message)} metadata={message.metadata} />
    </Suspense>
  )

const SystemEntry = ({ message }: { message: Message }) => {
  const { ai, sprint } = metaOf(message)
  const line = (
    <>
      <bdi>
        <SystemWords message={message} />
      </bdi>{' '}
      {sprint && sprint.steps > 0 && `· ${sprint.steps === 1 ? t`1 step` : t`${sprint.steps} steps`} `}
      <time className="system__time" dateTime={message.createdAt} title={fullMoment(message.createdAt)}>
        {timeOf(message.createdAt)}
      </time>
    </>
  )
  if (sprint) return <Opens line={line} isOwnLine inside={() => <FlowRun runId={sprint.runId} />} />
  if (ai) return <Opens line={line} isOwnLine inside={() => <AiTurn turnId={ai.turnId} />} />
  return <p className="system">{line}</p>
}

/** What a flow or the AI agent did, as one line that opens to how and why; loaded then. */
const Opens = ({
  line,
  inside,
  isOwnLine = false,
}: {
  line: ReactNode
  inside: () => ReactNode
  isOwnLine?: boolean
}) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="opens" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className={classNames('system--opens', isOwnLine ? 'system' : 'bubble__kicker')}>
        <ChevronRight size={12} aria-hidden className="system__mark" /> {line}
      </summary>
      {isOpen && <Suspense fallback={<Skeleton />}>{inside()}</Suspense>}
    </details>
  )
}

/** From what the AI agent replied. */
const AiLine = ({ sources }: { sources: readonly string[] }) => (
  <span>
    {sources.length === 0 ? t`Why this reply` : t`From `}
    {sources.map((title, at) => (
      <span key={title}>
        {at > 0 && ', '}“<bdi>{title}</bdi>”
      </span>
    ))}
  </span>
)

const sideOf = ({ senderType }: Message): 'theirs' | 'ours' => (senderType === 'customer' ? 'theirs' : 'ours')

const Writer = ({ message }: { message: Message }) => {
  const { session } = useSession()
  const { sender, senderType } = message
  const isApi = message.senderId.startsWith('api:')
  const Icon = sender.role === 'ai' ? Bot : isApi ? Braces : senderType === 'automation' ? Workflow : null
  const { flowName, mail } = metaOf(message)
  const name = flowName ?? (sender.id === session.account.id ? t`You` : sender.nickname)
  return (
    <span className="message__writer">
      {Icon && <Icon size={13} aria-hidden />}
      <bdi>{name}</bdi>
      {mail?.isAutomatic && <span className="message__by">{t`Automatic reply`}</span>}
      {senderType === 'automation' && (
        <span className="message__by">{flowName === null ? t`Automation` : t`Flow`}</span>
      )}
    </span>
  )
}

/** What the customer could tap, or type as a number. */
const Options = ({ choices: { options } }: { choices: Choices }) => (
  <ul className="options" aria-label={t`Options`}>
    {options.map(({ label, title }) => (
      <li key={label} className="options__one">
        {label !== title && <span className="text-soft numeric">{label} </span>}
        <bdi>
          <MarkedText text={title} />
        </bdi>
      </li>
    ))}
  </ul>
)

const MessageEntry = ({ message, isFirst, isLast, onReply, reactions }: { message: Message } & Marks) => {
  const side = sideOf(message)
  const meta = metaOf(message)
  const isFailed = message.status === 'failed'
  const text = meta.choices?.text ?? message.body
  return (
    <article
      className={classNames(
        'message',
        `message--${side}`,
        isFirst && 'message--first',
        isLast && 'message--last',
        meta.mail?.hasHtml && 'message--mail',
      )}
      aria-label={`${meta.flowName ?? message.sender.nickname}, ${fullMoment(message.createdAt)}`}
    >
      {side === 'theirs' && (
        <span className="message__face">
          {isLast && <Avatar name={message.sender.nickname} seed={message.sender.id} size="small" />}
        </span>
      )}
      <div className="message__column">
        {isFirst && <Writer message={message} />}
        <div
          className={classNames('bubble', isFailed && 'bubble--failed', meta.isDeleted && 'bubble--deleted')}
        >
          {meta.isForwarded && (
            <p className="bubble__kicker">
              <Forward size={12} aria-hidden /> {t`Forwarded`}
            </p>
          )}
          {(message.replyQuote || message.replyToMessageId) && <Quote text={message.replyQuote} />}
          {meta.referral && (
            <p className="bubble__kicker">{rich`Came from an ad: ${<bdi>{meta.referral}</bdi>}`}</p>
          )}
          {meta.testOf && <p className="bubble__kicker">{rich`Test of ${<bdi>{meta.testOf}</bdi>}`}</p>}
          {meta.templateName && (
            <p className="bubble__kicker">{rich`Template ${<bdi>{meta.templateName}</bdi>}`}</p>
          )}
          {meta.mail ? (
            <Suspense fallback={<p className="user-text">{message.body}</p>}>
              <MailBody message={message} mail={meta.mail} />
            </Suspense>
          ) : (
            text &&
            !meta.isBodyShownByAttachment && (
              <p className="user-text">
                {meta.isTap && <span className="text-soft text-small">{t`Chose:`} </span>}
                <LinkedText text={text} />
              </p>
            )
          )}
          {meta.choices && <Options choices={meta.choices} />}
          {(message.attachments.length > 0 || meta.place !== null || meta.cards.length > 0) && (
            <Suspense>
              <Attachments message={message} meta={meta} />
            </Suspense>
          )}
          {meta.problem && (
            <p className="bubble__kicker">{rich`Couldn’t show all of this message: ${meta.problem}`}</p>
          )}
          {meta.isDeleted && <Badge>{t`Deleted by the sender`}</Badge>}
        </div>
        {meta.ai && (
          <Opens
            line={<AiLine sources={meta.ai.sources} />}
            inside={() => meta.ai && <AiTurn turnId={meta.ai.turnId} />}
          />
        )}
        {meta.reactions.length > 0 && (
          <Suspense>
            <Reactions message={message} reactions={meta.reactions} mayReact={reactions.length > 0} />
          </Suspense>
        )}
        {isFailed && side === 'ours' && <Failure message={message} meta={meta} />}
        {isLast && (
          <footer className="message__foot">
            <time dateTime={message.createdAt} title={fullMoment(message.createdAt)}>
              {timeOf(message.createdAt)}
            </time>
            {meta.isEdited && (
              <span
                title={meta.originalBody ? t`Original:  ${meta.originalBody}` : undefined}
              >{t`edited`}</span>
            )}
            {side === 'ours' && !isFailed && <Delivery status={message.status} />}
          </footer>
        )}
      </div>
      <Suspense>
        {message.senderType === 'agent' && !isFailed && !meta.ai && <MakeAnswer message={message} />}
      </Suspense>
      {reactions.length > 0 && canBeQuoted(message) && (
        <Suspense>
          <ReactTo message={message} reactions={reactions} />
        </Suspense>
      )}
      {onReply && canBeQuoted(message) && <ReplyToThis onReply={() => onReply(message)} />}
    </article>
  )
}
