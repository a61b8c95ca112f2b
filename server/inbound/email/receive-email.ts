// A raw mail of a mailbox, whichever way it came: read, recognised for what it is, stored. Reading and files happen
// before the transaction, which is a few statements.
import type { MailAttachment, ParsedMail } from '../../../channels/channel.ts'
import { type Ctx, inTransaction } from '../../ctx.ts'
import { storeAttachment } from '../../resources/attachments/store-attachment.ts'
import { applyBounce } from '../../resources/emails/apply-bounce.ts'
import { findKnownEmail } from '../../resources/emails/queries.ts'
import { receiveMail } from '../../resources/emails/receive-mail.ts'
import { isSignatureOf } from '../../resources/emails/signatures.ts'
import { insertLeftovers, leftoverOf } from '../leftovers.ts'

/** The mailbox: a channel account of kind email. */
export type MailAccount = { id: string; address: string | null }

export type ReceivedEmail = {
  /**
   * `stored`: in its thread. `auto-reply`: likewise, but a program wrote it. `bounce`: the message that it is about has
   * failed, or its delay was noted as none. `own`: something of ours that came back. `repeat`: it was there already.
   * `kept`: it has no place in any thread and lies with the leftovers.
   */
  is: 'stored' | 'repeat' | 'bounce' | 'auto-reply' | 'kept' | 'own'
  messageId?: string
}

export type PreparedEmail = {
  mail: ParsedMail
  raw: Buffer
  /** The id under which it is stored. */
  externalId: string
  isRepeat: boolean
  isOwn: boolean
  html: string | null
  attachmentIds: string[]
}

/** More of a mail than this is not kept among the leftovers. */
const LEFTOVER_MAX_BYTES = 1024 * 1024
/** What a message's body holds; the whole text is in its content. */
const BODY_MAX = 50_000
const RECIPIENTS_SHOWN_MAX = 50

/**
 * Takes in one mail. What `alongside` writes is written in the same transaction, also when the mail is a repeat or not
 * for us. Throws only where the database or the file store fails.
 */
export const receiveEmail = async (
  ctx: Ctx,
  account: MailAccount,
  raw: Buffer,
  options: { alongside?: (ctx: Ctx) => Promise<void> } = {},
): Promise<ReceivedEmail> => {
  const prepared = await prepareEmail(ctx, account, raw)
  const [received] = await storeEmails(ctx, account, [prepared], options)
  return received!
}

/**
 * Reads a mail and keeps its files. Any number may be prepared at once; storeEmails then stores them in their order.
 * `isCut`: raw is only the beginning of it.
 */
export const prepareEmail = async (
  ctx: Ctx,
  account: MailAccount,
  raw: Buffer,
  { isCut = false } = {},
): Promise<PreparedEmail> => {
  const read = await ctx.channels.email.parseMail(raw)
  const mail = isCut ? { ...read, isWhole: false } : read
  const known = await findKnownEmail(ctx, account.id, mail.messageId)
  const isOwn = known?.isOurs === true || isOwnMail(ctx, account, mail)
  const isRepeat = known !== undefined && !known.isOurs && isSameMail(known, mail)
  // Some programs give all their mails one id; those are not repeats, and must have another name here.
  const externalId =
    known && !isRepeat && !isOwn
      ? `<${mail.messageId.slice(1, -1)}~${mail.date?.getTime() ?? 0}>`
      : mail.messageId
  const isStored = !isOwn && !isRepeat && mail.from !== null && !isReport(mail)
  const { attachmentIds, html } = isStored
    ? await storeFiles(ctx, mail, raw)
    : { attachmentIds: [], html: null }
  return { mail, raw, externalId, isRepeat, isOwn, html, attachmentIds }
}

/** Stores prepared mails in one transaction, in their order. */
export const storeEmails = (
  ctx: Ctx,
  account: MailAccount,
  emails: readonly PreparedEmail[],
  { alongside }: { alongside?: (ctx: Ctx) => Promise<void> } = {},
): Promise<ReceivedEmail[]> =>
  inTransaction(ctx, async (ctx) => {
    const received: ReceivedEmail[] = []
    for (const email of emails) received.push(await storeEmail(ctx, account, email))
    await alongside?.(ctx)
    return received
  })

const storeEmail = async (ctx: Ctx, account: MailAccount, email: PreparedEmail): Promise<ReceivedEmail> => {
  const { mail, externalId } = email
  if (email.isRepeat) return { is: 'repeat' }
  if (isReport(mail)) return storeBounce(ctx, account, email)
  if (email.isOwn) {
    // What we sent is in its thread. What somebody wrote elsewhere with our address is not.
    if (!signedMessageIds(ctx, account, [mail.messageId]).length) await keep(ctx, account, email, 'own mail')
    return { is: 'own' }
  }
  const sender = senderOf(account, mail)
  if (!sender) {
    await keep(ctx, account, email, 'no sender')
    return { is: 'kept' }
  }
  // Somebody may have stored it since it was prepared, or it is twice in one batch.
  const known = await findKnownEmail(ctx, account.id, externalId)
  if (known) return { is: 'repeat', messageId: known.id }
  const now = ctx.now()
  const visible = mail.visible.trim()
  const body = cut(visible || (email.attachmentIds.length > 0 ? '' : mail.subject || '(no text)'), BODY_MAX)
  const emailIds = [...new Set([...mail.inReplyTo, ...[...mail.references].reverse()])]
  const { messageId } = await receiveMail(ctx, {
    channelAccountId: account.id,
    from: sender,
    replyTo: mail.replyTo && mail.replyTo.address !== sender.address ? mail.replyTo.address : null,
    subject: mail.subject,
    body,
    content: {
      text: body === mail.text.trim() ? null : mail.text,
      html: email.html,
      referenceIds: emailIds.length ? referencesOf(mail) : [],
    },
    externalId,
    sentAt: mail.date && mail.date < now ? mail.date : now,
    automatic: mail.automatic,
    metadata: metadataOf(mail, sender, email.html !== null, body !== mail.text.trim()),
    refersTo: {
      conversationIds: signedConversationIds(ctx, account, mail.deliveredTo),
      messageIds: signedMessageIds(ctx, account, emailIds),
      emailIds,
    },
    attachmentIds: email.attachmentIds,
  })
  return { is: mail.automatic === 'reply' ? 'auto-reply' : 'stored', messageId }
}

/** A server's report, and not somebody's words about one. */
const isReport = ({ bounce, automatic }: ParsedMail): boolean =>
  bounce !== null && (automatic !== null || bounce.recipients.length > 0)

const storeBounce = async (ctx: Ctx, account: MailAccount, email: PreparedEmail): Promise<ReceivedEmail> => {
  const bounce = email.mail.bounce!
  if (bounce.isFailure) {
    const [messageId] = await applyBounce(ctx, {
      channelAccountId: account.id,
      status: bounce.status,
      message: bounce.message || 'The mail could not be delivered.',
      recipients: bounce.recipients,
      messageIds: signedMessageIds(ctx, account, bounce.originalIds),
      emailIds: bounce.originalIds,
    })
    if (messageId) return { is: 'bounce', messageId }
  }
  // About mail of somebody else's, or forged, or of no consequence.
  await keep(ctx, account, email, 'bounce')
  return { is: bounce.isFailure ? 'kept' : 'bounce' }
}

const keep = (ctx: Ctx, account: MailAccount, { raw }: PreparedEmail, reason: string): Promise<void> =>
  insertLeftovers(ctx, [
    leftoverOf(account.id, reason, raw.subarray(0, LEFTOVER_MAX_BYTES).toString('latin1')),
  ])

/** Which of the Message-IDs are of our making, and the messages that they name. */
const signedMessageIds = (ctx: Ctx, account: MailAccount, emailIds: readonly string[]): string[] =>
  emailIds.flatMap((emailId) => {
    const signed = ctx.channels.email.readMessageId(emailId)
    const isGood =
      signed &&
      isSignatureOf(ctx, 'email message', { channelAccountId: account.id, id: signed.id }, signed.signature)
    return isGood ? [signed.id] : []
  })

const signedConversationIds = (ctx: Ctx, account: MailAccount, addresses: readonly string[]): string[] =>
  addresses.flatMap((address) => {
    const signed = account.address ? ctx.channels.email.readReplyAddress(address, account.address) : undefined
    const isGood =
      signed &&
      isSignatureOf(ctx, 'email reply', { channelAccountId: account.id, id: signed.id }, signed.signature)
    return isGood ? [signed.id] : []
  })

/** Ours: by the id that we gave it, by the mark of our programs, or by its sender. */
const isOwnMail = (ctx: Ctx, account: MailAccount, mail: ParsedMail): boolean =>
  signedMessageIds(ctx, account, [mail.messageId]).length > 0 ||
  mail.loops.includes(ctx.channels.email.loopMark(account.id)) ||
  (isMailbox(account, mail.from?.address) && !isForm(account, mail))

const isMailbox = (account: MailAccount, address: string | undefined): boolean =>
  address !== undefined && address === account.address?.toLowerCase()

/** A form on a website writes from our address and names the customer as the one to answer. */
const isForm = (account: MailAccount, { replyTo }: ParsedMail): boolean =>
  replyTo !== null && !isMailbox(account, replyTo.address)

type Sender = { address: string; name: string | null; isProven: boolean }

const senderOf = (account: MailAccount, mail: ParsedMail): Sender | null => {
  if (!mail.from) return null
  const isProven = mail.authentication !== 'fail'
  if (isMailbox(account, mail.from.address) && mail.replyTo)
    return { address: mail.replyTo.address, name: mail.replyTo.name || null, isProven: false }
  return { address: mail.from.address, name: mail.from.name || null, isProven }
}

/** The same mail a second time, as against another one under an id that its program gives to all. */
const isSameMail = (known: { from: string | null; date: string | null }, mail: ParsedMail): boolean =>
  known.from === null ||
  (known.from === mail.from?.address &&
    (known.date === null || known.date === (mail.date?.toISOString() ?? null)))

const referencesOf = ({ references, inReplyTo }: ParsedMail): string[] =>
  references.length > 0 ? references : inReplyTo.slice(0, 1)

const cut = (text: string, max: number): string =>
  text.length <= max ? text : text.slice(0, max).toWellFormed()

const metadataOf = (
  mail: ParsedMail,
  sender: Sender,
  hasHtml: boolean,
  hasMore: boolean,
): Record<string, unknown> => ({
  subject: mail.subject,
  from: mail.from,
  ...(mail.replyTo && mail.replyTo.address !== mail.from?.address && { replyTo: mail.replyTo }),
  to: mail.to.slice(0, RECIPIENTS_SHOWN_MAX),
  ...(mail.cc.length > 0 && { cc: mail.cc.slice(0, RECIPIENTS_SHOWN_MAX) }),
  ...(mail.date && { date: mail.date.toISOString() }),
  ...(hasHtml && { hasHtml }),
  ...(hasMore && { hasMore }),
  ...(mail.automatic && { automatic: mail.automatic }),
  ...(mail.automatic === 'reply' && { autoReply: true }),
  ...(!sender.isProven && { unproven: true }),
  ...(!mail.isWhole && { isCut: true }),
})

/** A row's text of this length, and beyond it the file itself. */
const ORIGINAL = { name: 'original.eml', mimeType: 'message/rfc822' }

/** Keeps the files of a mail, and names them in its HTML. What could not be read whole goes along as it came. */
const storeFiles = async (
  ctx: Ctx,
  mail: ParsedMail,
  raw: Buffer,
): Promise<{ attachmentIds: string[]; html: string | null }> => {
  const attachmentIds: string[] = []
  const byCid = new Map<string, string>()
  const files: Pick<MailAttachment, 'name' | 'mimeType' | 'content' | 'cid'>[] = [
    ...mail.attachments,
    ...(mail.isWhole ? [] : [{ ...ORIGINAL, content: raw, cid: null }]),
  ]
  for (const { name, mimeType, content, cid } of files) {
    const { id } = await storeAttachment(ctx, { name, mimeType, content })
    attachmentIds.push(id)
    if (cid && !byCid.has(cid)) byCid.set(cid, id)
  }
  const html =
    mail.html?.replace(/ data-cid="([^"]*)"/g, (_, cid: string) => {
      const id = byCid.get(cid.replaceAll('&amp;', '&'))
      return id ? ` data-attachment="${id}"` : ''
    }) ?? null
  return { attachmentIds, html }
}
