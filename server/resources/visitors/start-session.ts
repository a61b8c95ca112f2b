import { randomBytes } from 'node:crypto'
import { type Ctx, inTransaction } from '../../ctx.ts'
import { hashSecret } from '../../http/authenticate.ts'
import { claimProfile } from '../contacts/claim-profile.ts'
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
import { cleanName, placeholderName } from './visitor-name.ts'

const TOKEN_BYTES = 32
const TOKEN_PATTERN = /^[A-Za-z0-9_-]{43}$/
/** How exactly it is known when a visitor was last seen. */
const SEEN_EVERY_MS = 60_000

type SessionInput = StartSession & { channelAccountId: string }

/**
 * Resumes the visitor whose token is known, with the thread as it stands; any other gets a fresh visitor and another
 * token. Nobody becomes a contact by opening the chat. Name and email are claims: see contacts/claim-profile.ts.
 */
export const startSession = async (ctx: Ctx, input: SessionInput): Promise<Session> => {
  const { token, visitor } = await admitVisitor(ctx, input)
  const { id, name, email, contactId, channelAccountId } = visitor
  const conversations = contactId ? await listVisitorConversations(ctx, { contactId, channelAccountId }) : []
  const conversation = conversations[0] ?? null
  const messages = conversation ? await listSeenMessages(ctx, conversation.id, SESSION_MESSAGES_MAX) : []
  return {
    token,
    visitor: { id, name, email },
    conversation,
    messages: messages.map((message) => toVisitorMessage(message, id)),
  }
}

const admitVisitor = async (
  ctx: Ctx,
  { token, channelAccountId, ...claims }: SessionInput,
): Promise<{ token: string; visitor: Visitor }> => {
  const known =
    token !== undefined && TOKEN_PATTERN.test(token)
      ? await findVisitor(ctx, channelAccountId, hashSecret(token))
      : undefined
  if (token !== undefined && known) return { token, visitor: await resume(ctx, known, claims) }
  return welcome(ctx, channelAccountId, claims)
}

const welcome = async (ctx: Ctx, channelAccountId: string, claims: StartSession) => {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const visitor: Visitor = {
    ...claimed(claims),
    id: ctx.newId(),
    channelAccountId,
    contactId: null,
    seenAt: ctx.now().toISOString(),
  }
  await insertVisitor(ctx, { ...visitor, tokenHash: hashSecret(token) })
  return { token, visitor }
}

/** What a visitor said once stays until they say something else. */
const resume = async (ctx: Ctx, known: Visitor, claims: StartSession): Promise<Visitor> => {
  const { name, email, locale, page } = claimed(claims)
  const visitor: Visitor = {
    ...known,
    name: name ?? known.name,
    email: email ?? known.email,
    locale: locale ?? known.locale,
    page: page ?? known.page,
    seenAt: ctx.now().toISOString(),
  }
  const isChanged = (['name', 'email', 'locale', 'page'] as const).some((key) => visitor[key] !== known[key])
  if (!isChanged && Date.parse(visitor.seenAt) - Date.parse(known.seenAt) < SEEN_EVERY_MS) return known
  return inTransaction(ctx, async (ctx) => {
    const { id, contactId } = visitor
    if (contactId && (visitor.name !== known.name || visitor.email !== known.email))
      await claimProfile(ctx, {
        contactId,
        name: visitor.name,
        email: visitor.email,
        placeholder: placeholderName(id),
      })
    await updateVisitor(ctx, visitor)
    return visitor
  })
}

const claimed = ({ name, email, locale, page }: StartSession) => ({
  name: cleanName(name),
  email: email?.toLowerCase() ?? null,
  locale: locale || null,
  page: page !== undefined && isWebPage(page) ? page : null,
})

/** Agents will be shown it as a link. */
const isWebPage = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
