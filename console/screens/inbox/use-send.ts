import { type RefObject, useState } from 'react'
import type { Attachment, ConversationDetails, OutgoingEmail } from '../../state/types.ts'
import type { RichField } from './email/handle.ts'
import type { Outbox } from './outbox.ts'
import type { Actions } from './use-actions.ts'
import type { useWriting } from './use-writing.ts'

/** Where a note or reply is written, or an email. */
export type Fields = { field: RefObject<HTMLTextAreaElement | null>; rich: RefObject<RichField | null> }

export const focusIn = ({ field, rich }: Fields): void => (rich.current ?? field.current)?.focus()

type Sending = {
  details: ConversationDetails
  outbox: Outbox
  writing: ReturnType<typeof useWriting>
  actions: Actions | null
  seen: RefObject<string | null>
  fields: Fields
}

/** Sends what was written, after asking which of two addresses an email goes to. */
export const useSend = ({ details: { repliesTo }, writing, seen, outbox, actions, fields }: Sending) => {
  const { draft, change, text, files, ready, isReply, isEmail, canSend } = writing
  const { mode } = draft
  const [asked, setAsked] = useState<{ thenClose: boolean } | null>(null)

  const send = (thenClose = false, sendTo?: string): void => {
    if (!canSend) return
    const request = isEmail ? fields.rich.current?.request() : undefined
    if (isEmail && !request) return
    const { email, isUnsettled } = addressed(request?.email, repliesTo, sendTo)
    if (isUnsettled) {
      setAsked({ thenClose })
      return
    }
    setAsked(null)
    const quoted = isReply ? draft.quoted : null
    const draftId = isReply ? draft.fromId : null
    const after = isReply ? draft.after : null
    const closes = thenClose || after?.closes === true
    outbox.send({
      ...{ kind: mode, body: request?.body ?? text.trim(), quoted, draftId, email },
      attachments: [...ready, ...(request?.images.map(asAttachment) ?? [])],
      ...(isReply && { seenId: seen.current, thenClose, after }),
    })
    const sent = { quoted: null, fromId: null, after: null, html: null, mail: null }
    change({ ...draft, [mode]: '', ...(isReply && sent) })
    files.clear()
    focusIn(fields)
    if (isReply) actions?.leaveAfter({ closes, assignee: after?.assignee ?? null })
    else if (thenClose) void actions?.close()
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

/**
 * The one of two addresses that was chosen, in place of the one that an email goes to otherwise. Unsettled: nobody has
 * chosen yet.
 */
const addressed = (
  email: OutgoingEmail | undefined,
  repliesTo: ConversationDetails['repliesTo'],
  sendTo: string | undefined,
): { email?: OutgoingEmail | undefined; isUnsettled: boolean } => {
  const isOpen =
    email && repliesTo?.isOpen && email.to.length === 1 && email.to[0]?.address === repliesTo.address
  if (!isOpen) return { email, isUnsettled: false }
  if (sendTo === undefined) return { email, isUnsettled: true }
  return { email: { ...email, to: [{ ...email.to[0], address: sendTo }] }, isUnsettled: false }
}

/** A pasted image, which was uploaded then. */
const asAttachment = (image: { id: string; name: string; url: string }): Attachment => ({
  ...{ ...image, type: 'image', mimeType: 'image/png', size: 0, state: 'stored' },
})
