import { randomBytes } from 'node:crypto'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { hashSecret } from '../../platform/hash-secret.ts'
import { findAnswer } from '../chat-emails/queries.ts'
import { claimProfile } from '../contacts/claim-profile.ts'
import { visitorPlaceholder } from '../contacts/placeholder-name.ts'
import { isAddressBlocked } from './block-queries.ts'
import {
  findVisitor,
  insertVisitor,
  listSeenMessages,
  listVisitorConversations,
  updateVisitor,
  type Visitor,
} from './queries.ts'
import { SESSION_MESSAGES_MAX, type Session, type StartSession } from './schema.ts'
import { toVisitorMessage } from './visitor-message.ts'
import { cleanName } from './visitor-name.ts'

const TOKEN_BYTES = 32
const TOKEN_PATTERN = /^[A-Za-z0-9_-]{43}$/
/** Precision of the time a visitor was last seen. */
const SEEN_EVERY_MS = 60_000

type SessionInput = Omit<StartSession, 'identity'> & {
  channelAccountId: string
  address: string
  /** Signs the visitor in, as the site says; null: this browser is somebody else's. */
  sign?: (ctx: Ctx, visitor: Visitor) => Promise<Visitor | null>
}

/**
 * Resumes the session of a known visitor token, with the current thread; otherwise creates a new visitor and token.
 * Opening the chat does not create a contact, and blocked visitors get VISITOR_BLOCKED. Name and email are claims: see
 * contacts/claim-profile.ts.
 */
export const startSession = async (ctx: Ctx, input: SessionInput): Promise<Session> => {
  const { token, visitor } = await admitSigned(ctx, input)
  const { id, name, email, contactId, channelAccountId } = visitor
  const conversations = contactId ? await listVisitorConversations(ctx, { contactId, channelAccountId }) : []
  const conversation = conversations[0] ?? null
  const messages = conversation ? await listSeenMessages(ctx, conversation.id, SESSION_MESSAGES_MAX) : []
  return {
    token,
    visitor: { id, name, email, isSigned: visitor.signedId !== null },
    conversation,
    email: conversation ? await findAnswer(ctx, conversation.id) : null,
    messages: messages.map((message) => toVisitorMessage(message, id)),
  }
}

const admitSigned = async (ctx: Ctx, { sign, ...input }: SessionInput) => {
  const admitted = await admitVisitor(ctx, input)
  if (!sign) return admitted
  const signed = await sign(ctx, admitted.visitor)
  if (signed) return { ...admitted, visitor: signed }
  const { token: _, ...others } = input
  const { token, visitor } = await admitVisitor(ctx, others)
  return { token, visitor: (await sign(ctx, visitor)) ?? visitor }
}

const admitVisitor = async (
  ctx: Ctx,
  { token, channelAccountId, address, ...claims }: Omit<SessionInput, 'sign'>,
): Promise<{ token: string; visitor: Visitor }> => {
  const known =
    token !== undefined && TOKEN_PATTERN.test(token)
      ? await findVisitor(ctx, { channelAccountId, tokenHash: hashSecret(token), address })
      : undefined
  if (known ? known.isBlocked : await isAddressBlocked(ctx, address)) throw new ApiError('VISITOR_BLOCKED')
  if (token !== undefined && known)
    return { token, visitor: await resume(ctx, known, { ...claims, address }) }
  return welcome(ctx, channelAccountId, { ...claims, address })
}

type Claims = Omit<StartSession, 'identity'> & { address: string }

const welcome = async (ctx: Ctx, channelAccountId: string, claims: Claims) => {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const visitor: Visitor = {
    ...claimed(claims),
    address: claims.address,
    id: ctx.newId(),
    channelAccountId,
    contactId: null,
    seenAt: ctx.now().toISOString(),
    signedId: null,
    signedEmail: null,
    signedUntil: null,
  }
  await insertVisitor(ctx, { ...visitor, tokenHash: hashSecret(token) })
  return { token, visitor }
}

/** What a visitor claimed once stays until they claim something else. */
const resume = async (ctx: Ctx, known: Visitor, claims: Claims): Promise<Visitor> => {
  const { name, email, locale, page, timeZone } = claimed(claims)
  const visitor: Visitor = {
    ...known,
    name: name ?? known.name,
    email: email ?? known.email,
    locale: locale ?? known.locale,
    page: page ?? known.page,
    timeZone: timeZone ?? known.timeZone,
    address: claims.address,
    seenAt: ctx.now().toISOString(),
  }
  const isChanged = (['name', 'email', 'locale', 'page', 'timeZone', 'address'] as const).some(
    (key) => visitor[key] !== known[key],
  )
  if (!isChanged && Date.parse(visitor.seenAt) - Date.parse(known.seenAt) < SEEN_EVERY_MS) return known
  return inTransaction(ctx, async (ctx) => {
    const { id, contactId } = visitor
    if (contactId && (visitor.name !== known.name || visitor.email !== known.email))
      await claimProfile(ctx, {
        contactId,
        name: visitor.name,
        email: visitor.email,
        placeholder: visitorPlaceholder(id),
      })
    await updateVisitor(ctx, visitor)
    return visitor
  })
}

const claimed = ({ name, email, locale, page, timeZone }: Omit<StartSession, 'identity'>) => ({
  name: cleanName(name),
  email: email?.toLowerCase() ?? null,
  locale: locale || null,
  page: page !== undefined && isWebPage(page) ? page : null,
  timeZone: timeZone && isTimeZone(timeZone) ? timeZone : null,
})

/** Agents are shown it as a link. */
const isWebPage = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

const isTimeZone = (name: string): boolean => {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}
