import { randomBytes } from 'node:crypto'
import { invalid } from '../../platform/errors.ts'
import { hashSecret } from '../../platform/hash-secret.ts'
import { makeFieldReader } from '../read-fields.ts'
import { findAccountByEmail, hasWorkspace, type PlatformCtx } from './queries.ts'
import { deleteExpiredSignInSecrets, insertSignInSecret, type LinkMaker } from './session-queries.ts'

export const LINK_VALID_MINUTES = 15
const SECRET_BYTES = 32

/**
 * An operator's link, which signs its owner in to the console, once, within 15 minutes, without a second factor. The secret is in the fragment, which browsers
 * never send. Throws VALIDATION_ERROR if no workspace member has the email.
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
    throw invalid({ field: 'email', message: 'does not belong to a member of any workspace' })
  return insertSignInLink(deps, account.id, 'operator')
}

/** The same for an account known to belong to a workspace. */
export const insertSignInLink = async (
  deps: Pick<PlatformCtx, 'db' | 'now'> & { publicUrl: string },
  accountId: string,
  madeBy: LinkMaker,
): Promise<{ url: string }> => {
  const createdAt = deps.now()
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  await deleteExpiredSignInSecrets(deps)
  await insertSignInSecret(deps, {
    hash: hashSecret(secret),
    accountId,
    madeBy,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + LINK_VALID_MINUTES * 60_000),
  })
  return { url: `${deps.publicUrl}/sign-in#${secret}` }
}
