import { findChatBox } from '../../domain/chat-boxes/queries.ts'
import { readIdentity, type SignedIdentity } from '../../domain/chat-boxes/read-identity.ts'
import { lockVisitor, setSigned, type Visitor } from '../../domain/visitors/queries.ts'
import type { Session, StartSession } from '../../domain/visitors/schema.ts'
import { startSession } from '../../domain/visitors/start-session.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { joinPerson } from './join-person.ts'

type VisitInput = StartSession & { channelAccountId: string; address: string }

/**
 * Starts or resumes a session. With a signed identity the visitor becomes the person whom the site has signed in; a
 * browser in which somebody else is signed in, or is known by other means, starts anew. Throws IDENTITY_REFUSED, and
 * IDENTITY_REQUIRED on a site that wants everyone signed in.
 */
export const startVisit = async (ctx: Ctx, { identity, ...input }: VisitInput): Promise<Session> => {
  const { channelAccountId } = input
  if (identity !== undefined) {
    const signed = await readIdentity(ctx, { channelAccountId, token: identity })
    // What the page claims beside it counts for nothing.
    const { name, email } = signed
    const claims = { ...input, name: name ?? undefined, email: email ?? undefined }
    return inTransaction(ctx, (ctx) =>
      startSession(ctx, { ...claims, sign: (ctx, visitor) => signIn(ctx, visitor, signed) }),
    )
  }
  const { settings } = await findChatBox(ctx, channelAccountId)
  if (!settings.requiresIdentity) return startSession(ctx, input)
  // Nothing is left of a visitor who is refused.
  return inTransaction(ctx, (ctx) =>
    startSession(ctx, { ...input, sign: async (ctx, visitor) => requireSigned(ctx, visitor) }),
  )
}

const requireSigned = ({ now }: Ctx, visitor: Visitor): Visitor => {
  if (visitor.signedUntil !== null && Date.parse(visitor.signedUntil) > now().getTime()) return visitor
  throw new ApiError('IDENTITY_REQUIRED')
}

/** Null if the browser's visitor is somebody else. */
const signIn = async (ctx: Ctx, visitor: Visitor, signed: SignedIdentity): Promise<Visitor | null> => {
  // Two tabs may sign in as two people at the same moment.
  const current = await lockVisitor(ctx, visitor.id)
  if (!current || (current.signedId !== null && current.signedId !== signed.id)) return null
  const next: Visitor = {
    ...visitor,
    contactId: current.contactId,
    signedId: signed.id,
    signedEmail: signed.isEmailVerified ? signed.email : null,
    signedUntil: signed.until.toISOString(),
  }
  const contactId = await joinPerson(ctx, next, { creates: false })
  if (contactId === 'other') return null
  await setSigned(ctx, visitor.id, next)
  return { ...next, contactId: contactId ?? next.contactId }
}
