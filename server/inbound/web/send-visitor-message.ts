import { attachableSince } from '../../domain/attachments/attach.ts'
import { keepKnownAddress } from '../../domain/chat-emails/save-address.ts'
import { visitorPlaceholder } from '../../domain/contacts/placeholder-name.ts'
import { choiceToken } from '../../domain/messages/choice-token.ts'
import { type ReceivedMessage, receiveMessage } from '../../domain/messages/receive-messages.ts'
import { lockSendableFiles } from '../../domain/visitors/file-queries.ts'
import { findOffered, setVisitorContact, type Visitor } from '../../domain/visitors/queries.ts'
import type { SendVisitorMessage, VisitorChoice, VisitorMessage } from '../../domain/visitors/schema.ts'
import { externalIdOf, toOwnMessage } from '../../domain/visitors/visitor-message.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { invalid } from '../../platform/errors.ts'
import { joinPerson } from './join-person.ts'
import { languageOf } from './language-of.ts'

/**
 * Stores what a visitor wrote, or the option that they tapped; their first message makes them a contact. Repeating a
 * clientId changes nothing and returns the stored message. Throws VALIDATION_ERROR for a tap on what wasn't offered to
 * this visitor, and for files that can't be attached.
 */
export const sendVisitorMessage = (
  ctx: Ctx,
  visitor: Visitor,
  { body, choice, fileIds = [], clientId }: SendVisitorMessage,
): Promise<VisitorMessage> =>
  inTransaction(ctx, async (ctx) => {
    if (visitor.contactId === null && visitor.signedId !== null)
      await joinPerson(ctx, visitor, { creates: true })
    const externalId = clientId === undefined ? null : externalIdOf(visitor.id, clientId)
    await requireOwnFiles(ctx, visitor, fileIds, externalId)
    const { message, contactId, conversationId } = await receiveMessage(ctx, {
      channel: 'web',
      channelAccountId: visitor.channelAccountId,
      from: {
        identity: { kind: 'visitor', value: visitor.id, verified: true },
        name: visitor.name ?? visitor.email ?? visitorPlaceholder(visitor.id),
        email: visitor.email,
      },
      ...signedBy(ctx, visitor, await contentOf(ctx, visitor, { body, choice, fileIds })),
      attachmentIds: fileIds,
      externalId,
      sentAt: ctx.now(),
    })
    if (visitor.contactId === null) await setVisitorContact(ctx, visitor.id, contactId)
    if (visitor.email !== null) {
      const isVouched = visitor.signedEmail !== null
      await keepKnownAddress(ctx, {
        conversationId,
        address: visitor.signedEmail ?? visitor.email,
        language: languageOf('auto', visitor.locale),
        isVouched,
      })
    }
    return toOwnMessage(message, clientId ?? null)
  })

/** The same files again are fine for the same message only. */
const requireOwnFiles = async (
  ctx: Ctx,
  visitor: Visitor,
  ids: readonly string[],
  externalId: string | null,
): Promise<void> => {
  if (ids.length === 0) return
  const since = attachableSince(ctx)
  const own = await lockSendableFiles(ctx, { visitorId: visitor.id, ids, externalId, since })
  if (own.length !== ids.length)
    throw invalid({
      field: 'fileIds',
      message: 'must be files that you uploaded in the last 23 hours and have not sent yet',
    })
}

/** Whoever the site says is signed in is known as the holder of that account. */
const signedBy = ({ now }: Ctx, { signedUntil }: Visitor, content: Content): Content =>
  signedUntil !== null && Date.parse(signedUntil) > now().getTime()
    ? { ...content, metadata: { ...content.metadata, senderVerification: 'verified' } }
    : content

type Content = Pick<ReceivedMessage, 'body' | 'metadata' | 'replyToMessageId' | 'replyQuote'>

const contentOf = async (
  ctx: Ctx,
  visitor: Visitor,
  { body, choice, fileIds = [] }: SendVisitorMessage,
): Promise<Content> => {
  if (choice === undefined) {
    if (body === undefined && fileIds.length === 0) throw invalid({ field: 'body', message: 'is required' })
    return { body: body ?? '' }
  }
  if (fileIds.length > 0) throw invalid({ field: 'fileIds', message: 'must not be given with a choice' })
  if (body !== undefined) throw invalid({ field: 'body', message: 'must not be given with a choice' })
  return readTap(ctx, visitor, choice)
}

/** A tap in the form of the other channels' taps: the title as text, and the option's token. */
const readTap = async (
  ctx: Ctx,
  { contactId, channelAccountId }: Visitor,
  { messageId, number }: VisitorChoice,
): Promise<Content> => {
  const offered = contactId ? await findOffered(ctx, { messageId, contactId, channelAccountId }) : undefined
  if (!offered)
    throw invalid({
      field: 'choice.messageId',
      message: 'must be a message with options in your conversation',
    })
  const option = offered.options.find((option) => option.number === number)
  if (!option)
    throw invalid({ field: 'choice.number', message: 'must be the number of an option of that message' })
  const { runId, stepId, text } = offered
  const token = choiceToken(ctx.seal, { workspaceId: ctx.workspaceId, runId, stepId, number })
  return {
    body: option.title,
    metadata: { type: 'choice', choice: { kind: 'button', id: token, title: option.title, number } },
    replyToMessageId: messageId,
    replyQuote: text,
  }
}
