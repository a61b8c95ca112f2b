import { invalid } from '../../../platform/errors.ts'
import { makeFieldReader } from '../../read-fields.ts'
import { findAccountByEmail, type PlatformCtx } from '../queries.ts'
import { deleteSubjectsOf } from './queries.ts'

/**
 * Forgets who the account's owner is at the identity provider: whoever has its email there next is linked instead. Their
 * sessions go on. Throws VALIDATION_ERROR if no account has the email.
 */
export const unlinkOidc = async (
  deps: Pick<PlatformCtx, 'db'>,
  input: { email: string },
): Promise<{ unlinked: number }> => {
  const reader = makeFieldReader(input)
  const email = reader.email('email')
  reader.finish()
  const account = await findAccountByEmail(deps, email)
  if (!account) throw invalid({ field: 'email', message: 'does not belong to any account' })
  return { unlinked: await deleteSubjectsOf(deps, account.id) }
}
