// The message being replied to, on channels that show the quote to the customer.
import { CornerUpLeft, Reply, X } from 'lucide-react'
import type { Message } from '../../state/types.ts'
import { IconButton } from '../../ui/button.tsx'
import { rich, t } from '../../words/t.ts'
import type { Quoted } from './drafts.ts'
import { metaOf } from './metadata.ts'

const QUOTE_MAX = 300

export const canBeQuoted = (message: Message): boolean =>
  message.senderType === 'customer' && !metaOf(message).isDeleted

export const quotedOf = ({ id, body, sender, attachments }: Message): Quoted => ({
  id,
  name: sender.nickname,
  text: [...(body || attachments[0]?.name || '')].slice(0, QUOTE_MAX).join(''),
})

export const Quote = ({ text }: { text: string | null | undefined }) => (
  <blockquote className="quote">
    <CornerUpLeft size={12} aria-hidden />
    <span className="quote__text user-text">{text || t`An earlier message`}</span>
  </blockquote>
)

export const ReplyToThis = ({ onReply }: { onReply: () => void }) => (
  <span className="message__action">
    <IconButton icon={Reply} size="small" label={t`Reply to this`} onClick={onReply} />
  </span>
)

export const ReplyingTo = ({ quoted, onRemove }: { quoted: Quoted; onRemove: () => void }) => (
  <div className="composer__quote">
    <div className="grow">
      <p className="text-soft text-small">{rich`Replying to ${<bdi>{quoted.name}</bdi>}`}</p>
      <Quote text={quoted.text} />
    </div>
    <IconButton icon={X} size="small" label={t`Remove quote`} onClick={onRemove} />
  </div>
)
