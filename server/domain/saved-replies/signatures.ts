// What goes below emails: a person's own signature, or else the mailbox's. It is text with the variables of saved replies.
import Type, { type Static } from 'typebox'
import { parseTemplate } from '../../../flow-engine/render.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { findChannelAccount } from '../channel-accounts/queries.ts'
import { nullable } from '../schema.ts'
import { findOwnPartners, findPartners } from './queries.ts'
import { accountOf, renderFor } from './saved-replies.ts'
import { deleteSignature, findSignature, findSignatureFor, saveSignature } from './signature-queries.ts'

export const SIGNATURE_MAX = 2_000

/** Null: none. */
export const Signature = Type.Object({
  body: nullable(Type.String({ trim: true, maxLength: SIGNATURE_MAX })),
})
export type Signature = Static<typeof Signature>

export const FilledSignature = Type.Object({
  text: Type.String({ description: 'With the values of the conversation; empty: none.' }),
})

/** The actor's own in this workspace. */
export const getOwnSignature = async (ctx: Ctx): Promise<Signature> => ({
  body: await findSignature(ctx, accountOf(ctx) ?? ''),
})

/** Throws VALIDATION_ERROR for an unknown variable. */
export const setOwnSignature = (ctx: Ctx, given: Signature): Promise<Signature> =>
  setSignature(ctx, accountOf(ctx) ?? '', given)

/** Throws CHANNEL_NOT_FOUND. */
export const getMailboxSignature = async (ctx: Ctx, channelId: string): Promise<Signature> => {
  await requireMailbox(ctx, channelId)
  return { body: await findSignature(ctx, channelId) }
}

/** Throws CHANNEL_NOT_FOUND, and VALIDATION_ERROR for an unknown variable. */
export const setMailboxSignature = async (
  ctx: Ctx,
  channelId: string,
  given: Signature,
): Promise<Signature> => {
  await requireMailbox(ctx, channelId)
  return setSignature(ctx, channelId, given)
}

const requireMailbox = async (ctx: Ctx, channelId: string): Promise<void> => {
  const account = await findChannelAccount(ctx, channelId)
  if (account?.channel !== 'email') throw new ApiError('CHANNEL_NOT_FOUND')
}

const setSignature = async (ctx: Ctx, ownerId: string, { body }: Signature): Promise<Signature> => {
  const details = parseTemplate(body ?? '', 'reply').flatMap((part) =>
    typeof part !== 'string' && part.problem
      ? [{ field: 'body', message: `has a problem: ${part.problem}` }]
      : [],
  )
  if (details.length > 0) throw invalid(...details)
  if (body) await saveSignature(ctx, ownerId, body)
  else await deleteSignature(ctx, ownerId)
  return { body: body || null }
}

/** What goes below the actor's email in a conversation. Throws CONVERSATION_NOT_FOUND. */
export const fillSignature = async (ctx: Ctx, conversationId: string): Promise<{ text: string }> => {
  const accountId = accountOf(ctx)
  const partners = await findPartners(ctx, conversationId, accountId)
  if (!partners) throw new ApiError('CONVERSATION_NOT_FOUND')
  const body = await findSignatureFor(ctx, conversationId, accountId)
  return { text: body === null ? '' : renderFor(ctx, partners, body, SIGNATURE_MAX) }
}

/** What goes below the actor's email to somebody new. Throws CHANNEL_NOT_FOUND. */
export const fillNewSignature = async (ctx: Ctx, channelId: string): Promise<{ text: string }> => {
  await requireMailbox(ctx, channelId)
  const accountId = accountOf(ctx)
  const body = (await findSignature(ctx, accountId ?? '')) ?? (await findSignature(ctx, channelId))
  if (body === null) return { text: '' }
  return { text: renderFor(ctx, await findOwnPartners(ctx, accountId), body, SIGNATURE_MAX) }
}
