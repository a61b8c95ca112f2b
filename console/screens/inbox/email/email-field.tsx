// Where an email is written: recipients, formatted text and what is quoted. Loaded when one is.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Forward, ReplyAll } from 'lucide-react'
import { type RefObject, useImperativeHandle, useMemo, useRef } from 'react'
import { useCommands } from '../../../state/commands.ts'
import { useApi } from '../../../state/session.tsx'
import { timelineQuery } from '../../../state/timeline.ts'
import type { ConversationDetails, Mail, Message } from '../../../state/types.ts'
import { t } from '../../../words/t.ts'
import type { Draft } from '../drafts.ts'
import type { Content } from './document.ts'
import { Envelope } from './envelope.tsx'
import type { RichField } from './handle.ts'
import { forwardMail, othersOf, replyMail } from './mail-draft.ts'
import { MailQuote } from './mail-quote.tsx'
import { requestOf } from './request.ts'
import { RichText, type RichTextHandle } from './rich-text.tsx'
import { Signature, signed, useSignature } from './signature.tsx'

export type EmailFieldProps = {
  rich: RefObject<RichField | null>
  details: ConversationDetails
  draft: Draft
  onChange: (draft: Draft) => void
  onTyping: () => void
  onSend: (thenClose: boolean) => void
  onSlash: () => void
  onFiles: (files: File[]) => void
}

/** The thread's messages, newest first. */
const useMessages = (conversationId: string): Message[] => {
  const api = useApi()
  const client = useQueryClient()
  const { data } = useQuery(timelineQuery(client, api, conversationId))
  return useMemo(
    () =>
      (data?.rows ?? []).flatMap((entry) =>
        entry.kind === 'message' && entry.message.senderType !== 'system' ? [entry.message] : [],
      ),
    [data],
  )
}

const useMail = ({ details, draft }: Pick<EmailFieldProps, 'details' | 'draft'>) => {
  const messages = useMessages(details.conversation.id)
  const newest = messages.find(({ senderType }) => senderType === 'customer') ?? messages[0]
  const mail: Mail = draft.mail ?? replyMail(details, newest)
  const quoted = messages.find(({ id }) => id === mail.quote?.messageId)
  const known = new Set([...mail.to, ...(mail.cc ?? []), ...(mail.bcc ?? [])].map(({ address }) => address))
  const others =
    mail.quote?.as === 'forward' ? [] : othersOf(details, newest).filter(({ address }) => !known.has(address))
  return { mail, quoted, others, newest }
}

const EmailField = ({ rich, details, draft, onChange, onTyping, ...does }: EmailFieldProps) => {
  const { mail, quoted, others, newest } = useMail({ details, draft })
  const signature = useSignature(details.conversation.id)
  const editor = useRef<RichTextHandle>(null)

  useImperativeHandle(rich, () => ({
    focus: () => editor.current?.focus(),
    inserted: (text) => {
      const content = editor.current!.withInserted(text)
      return { reply: content.text, html: content.html, mail }
    },
    replace: (text) => editor.current?.replace(text),
    undo: () => editor.current?.undo(),
    request: () =>
      requestOf(
        mail,
        signed({ text: draft.reply.trim(), html: draft.html }, mail.isUnsigned ? '' : signature),
      ),
  }))

  const setMail = (next: Mail): void => onChange({ ...draft, mail: next })
  useCommands(
    newest
      ? [
          {
            id: 'reply all',
            label: t`Reply to all`,
            group: t`Conversation`,
            keys: 'shift+r',
            icon: ReplyAll,
            run: () => {
              setMail(replyMail(details, newest, { all: true }))
              editor.current?.focus()
            },
          },
          {
            id: 'forward',
            label: t`Forward the last email`,
            group: t`Conversation`,
            keys: 'f',
            icon: Forward,
            run: () => setMail(forwardMail(details, newest)),
          },
        ]
      : [],
  )
  const write = ({ text, html }: Content): void => {
    const isEmpty = text === '' && html === null
    onChange({
      ...draft,
      reply: text,
      html,
      // What a reply is to stays, whatever arrives while it is written.
      mail: isEmpty && draft.mail === null ? null : mail,
      ...(isEmpty && { fromId: null, after: null }),
    })
    onTyping()
  }
  return (
    <>
      <Envelope
        key={mail.quote?.as}
        mail={mail}
        onChange={setMail}
        others={others}
        isOpen={mail.quote?.as === 'forward' || mail.to.length === 0}
      />
      <RichText
        ref={editor}
        label={t`Reply`}
        placeholder={t`Reply by email…`}
        content={{ text: draft.reply, html: draft.html }}
        onChange={write}
        {...does}
      >
        {signature !== '' && !mail.isUnsigned && (
          <Signature text={signature} onRemove={() => setMail({ ...mail, isUnsigned: true })} />
        )}
        {mail.quote && quoted && (
          <MailQuote
            quote={mail.quote}
            message={quoted}
            onChange={(quote) => {
              const { quote: _, ...rest } = mail
              setMail({ ...rest, ...(quote && { quote }) })
            }}
          />
        )}
      </RichText>
    </>
  )
}
export default EmailField
