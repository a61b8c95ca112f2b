import { randomBytes } from 'node:crypto'
import { invalid } from '../../errors.ts'
import { hashSecret } from '../../http/authenticate.ts'
import { findAccountByEmail, hasWorkspace, type PlatformCtx } from '../agents/queries.ts'
import { makeFieldReader } from '../read-fields.ts'
import { deleteExpiredSignInSecrets, insertSignInSecret } from './queries.ts'

export const LINK_VALID_MINUTES = 15
const SECRET_BYTES = 32

/**
 * A link that signs its person in to the console, once, within 15 minutes. The secret is in the fragment, which a
 * browser sends to nobody. Throws VALIDATION_ERROR when the email is nobody's who belongs to a workspace.
 */
export const createSignInLink = async (
  deps: PlatformCtx & { publicUrl: string },
  input: { email: string },
): Promise<{ url: string }> => {
  const reader = makeFieldReader(input)
  const email = reader.email('email')
  reader.finish()
  const account = await findAccountByEmail(deps, email)
  if (!account || account.isAi || !(await hasWorkspace(deps, account.id)))
    throw invalid({ field: 'email', message: 'belongs to no member of a workspace' })
  const createdAt = deps.now()
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  await deleteExpiredSignInSecrets(deps)
  await insertSignInSecret(deps, {
    hash: hashSecret(secret),
    accountId: account.id,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + LINK_VALID_MINUTES * 60_000),
  })
  return { url: `${deps.publicUrl}/sign-in#${secret}` }
}
