// A raw email of a mailbox, however it arrived: parsed, classified, stored. Parsing and files come before the
// transaction, which is only a few statements.
import type {
  Bounce,
  Complaint,
  MailAttachment,
  ParsedMail,
  SenderVerification,
} from '../../../channels/channel.ts'
import { storeAttachment } from '../../domain/attachments/store-attachment.ts'
import type { StoredChannelAccount } from '../../domain/channel-accounts/schema.ts'
import { failEmails } from '../../domain/chat-emails/stop-emails.ts'
import { findKnownEmail } from '../../domain/emails/queries.ts'
import { isSignatureOf } from '../../domain/emails/signatures.ts'
import { withoutErased } from '../../domain/erasures/erased-identities.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { insertLeftovers, type Leftover, leftoverOf } from '../leftovers/queries.ts'
import { applyBounce } from './apply-bounce.ts'
import { applyComplaint } from './apply-complaint.ts'
import { receiveChatReply } from './receive-chat-reply.ts'
import { type InboundMail, receiveMail } from './receive-mail.ts'

/** The mailbox: a channel account of kind email. */
export type MailAccount = {
  id: string
  address: string | null
  /** The server names used in its authentication results. */
  authenticationServers?: readonly string[]
}

export const mailAccountOf = (
  { channels }: Pick<Ctx, 'channels'>,
  { id, address, settings }: Pick<StoredChannelAccount<'email'>, 'id' | 'address' | 'settings'>,
  { imapUrl }: { imapUrl?: string },
): MailAccount => ({
  id,
  address,
  authenticationServers: channels.email.authenticationServersOf(settings.authservId, imapUrl),
})

type ReceivedEmail = {
  /**
   * `stored`: in its thread. `auto-reply`: likewise, but sent by a program. `bounce`: the message it is about has
   * failed, or was only delayed. `complaint`: a recipient marked our message as spam. `own`: something of ours that
   * came back. `repeat`: it was already there. `kept`: it fits in no thread and is kept as a leftover.
   * `erased`: written before its sender was erased, and dropped.
   */
  is: 'stored' | 'repeat' | 'bounce' | 'complaint' | 'auto-reply' | 'kept' | 'own' | 'erased'
  messageId?: string
}

export type PreparedEmail = {
  mail: ParsedMail
  verification: SenderVerification
  raw: Buffer
  /** The id under which it is stored. */
  externalId: string
  isRepeat: boolean
  isOwn: boolean
  html: string | null
  attachmentIds: string[]
}

/** Longer emails are truncated among the leftovers. */
const LEFTOVER_MAX_BYTES = 1024 * 1024
/** The limit of a message's body; the full text is in its content. */
const BODY_MAX = 50_000
const RECIPIENTS_SHOWN_MAX = 50

/**
 * Stores one email. What `alongside` writes goes in the same transaction, even if the email is a repeat or not for
 * us. Throws only if the database or the file store fails.
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
 * Parses an email and stores its files. Any number may be prepared at once; storeEmails then stores them in order.
 * `isCut`: raw is truncated.
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
  // Some programs give all their emails the same id; those are not repeats and need a different id here.
  const externalId =
    known && !isRepeat && !isOwn
      ? `<${mail.messageId.slice(1, -1)}~${mail.date?.getTime() ?? 0}>`
      : mail.messageId
  const isStored = !isOwn && !isRepeat && mail.from !== null && !isReport(mail)
  const { attachmentIds, html } = isStored
    ? await storeFiles(ctx, mail, raw)
    : { attachmentIds: [], html: null }
  const verification = ctx.channels.email.verifySender(
    mail,
    account.authenticationServers ?? [],
    account.address,
  )
  return { mail, verification, raw, externalId, isRepeat, isOwn, html, attachmentIds }
}

/** Stores prepared emails in one transaction, in order. */
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
  if (mail.complaint) return storeComplaint(ctx, account, email, mail.complaint)
  if (mail.bounce) return storeBounce(ctx, account, email, mail.bounce)
  if (email.isOwn) {
    // What we sent is already in its thread. What someone sent from our address elsewhere is not.
    if (!signedMessageIds(ctx, account, [mail.messageId]).length) await keep(ctx, account, email, 'own mail')
    return { is: 'own' }
  }
  const sender = senderOf(account, email)
  if (!sender) {
    await keep(ctx, account, email, 'no sender')
    return { is: 'kept' }
  }
  // It may have been stored since it was prepared, or be twice in one batch.
  const known = await findKnownEmail(ctx, account.id, externalId)
  if (known) return { is: 'repeat', messageId: known.id }
  const now = ctx.now()
  const sentAt = mail.date && mail.date < now ? mail.date : now
  const [wanted] = await withoutErased(ctx, [{ sentAt }], () => [{ kind: 'email', value: sender.address }])
  if (!wanted) return { is: 'erased' }
  const visible = mail.visible.trim()
  const body = cut(visible || (email.attachmentIds.length > 0 ? '' : mail.subject || '(no text)'), BODY_MAX)
  const hidden = cut([visible.slice(body.length), mail.hidden].join('\n').trim(), BODY_MAX)
  const emailIds = [...new Set([...mail.inReplyTo, ...[...mail.references].reverse()])]
  const conversationIds = signedConversationIds(ctx, account, mail.deliveredTo)
  const messageIds = signedMessageIds(ctx, account, emailIds)
  const received: InboundMail = {
    channelAccountId: account.id,
    from: { ...sender, isVerified: sender.verification === 'verified' },
    replyTo: mail.replyTo && mail.replyTo.address !== sender.address ? mail.replyTo.address : null,
    subject: mail.subject,
    body,
    content: {
      text: body === mail.text.trim() ? null : mail.text,
      html: email.html,
      hidden,
      referenceIds: emailIds.length ? referencesOf(mail) : [],
    },
    externalId,
    sentAt,
    automatic: mail.automatic,
    metadata: {
      ...metadataOf(mail, sender, email.html !== null, body !== mail.text.trim()),
      ...(hidden && { hidden }),
    },
    refersTo: { conversationIds, messageIds, emailIds },
    attachmentIds: email.attachmentIds,
  }
  const reply = await receiveChatReply(ctx, received, mail.messageId)
  if (reply?.isRepeat) return { is: 'repeat', messageId: reply.messageId }
  const { messageId } = reply ?? (await receiveMail(ctx, received))
  return { is: mail.automatic === 'reply' ? 'auto-reply' : 'stored', messageId }
}

const isReport = ({ bounce, complaint }: ParsedMail): boolean => bounce !== null || complaint !== null

const storeBounce = async (
  ctx: Ctx,
  account: MailAccount,
  email: PreparedEmail,
  bounce: Bounce,
): Promise<ReceivedEmail> => {
  if (bounce.isFailure) {
    const [messageId] = await applyBounce(ctx, {
      channelAccountId: account.id,
      status: bounce.status,
      message: bounce.message || 'The email could not be delivered.',
      recipients: bounce.recipients,
      messageIds: signedMessageIds(ctx, account, bounce.originalIds),
      emailIds: bounce.originalIds,
    })
    if (messageId) return { is: 'bounce', messageId }
    const mailIds = signedMessageIds(ctx, account, bounce.originalIds)
    if (await failEmails(ctx, { mailIds, isUnwanted: false })) return { is: 'bounce' }
  }
  // About someone else's email, forged, or irrelevant.
  await keep(ctx, account, email, 'bounce')
  return { is: bounce.isFailure ? 'kept' : 'bounce' }
}

const storeComplaint = async (
  ctx: Ctx,
  account: MailAccount,
  email: PreparedEmail,
  { isUnwanted, recipients, originalIds }: Complaint,
): Promise<ReceivedEmail> => {
  if (isUnwanted) {
    const messageId = await applyComplaint(ctx, {
      channelAccountId: account.id,
      recipients,
      messageIds: signedMessageIds(ctx, account, originalIds),
      emailIds: originalIds,
    })
    if (messageId) return { is: 'complaint', messageId }
    const mailIds = signedMessageIds(ctx, account, originalIds)
    if (await failEmails(ctx, { mailIds, isUnwanted: true })) return { is: 'complaint' }
  }
  await keep(ctx, account, email, 'complaint')
  return { is: 'kept' }
}

const keep = (ctx: Ctx, account: MailAccount, { raw }: PreparedEmail, reason: string): Promise<void> =>
  insertLeftovers(ctx, [
    leftoverOf(account.id, reason, raw.subarray(0, LEFTOVER_MAX_BYTES).toString('latin1')),
  ])

/** An email that could not be stored, in full, for a retry. */
export const leftoverOfMail = (channelAccountId: string, raw: Buffer, error: unknown): Leftover =>
  leftoverOf(channelAccountId, 'failed', raw.toString('latin1'), { replay: 'mail', error })

/** Which of the Message-IDs are ours, and the messages they identify. */
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

/** Ours: by the id we gave it, our header, or its sender. */
const isOwnMail = (ctx: Ctx, account: MailAccount, mail: ParsedMail): boolean =>
  signedMessageIds(ctx, account, [mail.messageId]).length > 0 ||
  mail.loops.includes(ctx.channels.email.loopMark(account.id)) ||
  (isMailbox(account, mail.from?.address) && !isForm(account, mail))

const isMailbox = (account: MailAccount, address: string | undefined): boolean =>
  address !== undefined && address === account.address?.toLowerCase()

/** A website's contact form sends from our address and puts the customer in Reply-To. */
const isForm = (account: MailAccount, { replyTo }: ParsedMail): boolean =>
  replyTo !== null && !isMailbox(account, replyTo.address)

type Sender = { address: string; name: string | null; isProven: boolean; verification: SenderVerification }

const senderOf = (account: MailAccount, { mail, verification }: PreparedEmail): Sender | null => {
  if (!mail.from) return null
  if (isMailbox(account, mail.from.address) && mail.replyTo)
    return {
      address: mail.replyTo.address,
      name: mail.replyTo.name || null,
      isProven: false,
      verification: verification === 'failed' ? 'failed' : 'absent',
    }
  const isProven = verification !== 'failed'
  return { address: mail.from.address, name: mail.from.name || null, isProven, verification }
}

/** Whether it is the same email again, or a different one with an id that its program reuses. */
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
  senderVerification: sender.verification,
  ...(!sender.isProven && { unproven: true }),
  ...(!mail.isWhole && { isCut: true }),
})

/** The original email, attached if it could not be parsed in full. */
const ORIGINAL = { name: 'original.eml', mimeType: 'message/rfc822' }

/**
 * Stores the files of an email, and links them in its HTML. If it could not be parsed in full, the original is
 * attached.
 */
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
