import { EMAIL_MAX } from '../../schema.ts'
import { type AccountCall, auditAccount } from '../audit-account.ts'
import { type Account, findAccount, findAccountByEmail, hasWorkspace, type PlatformCtx } from '../queries.ts'
import { type SignedIn, startSession } from '../sign-in.ts'
import { OidcError } from './oidc-error.ts'
import { findLinkedAccountId, insertSubject, type Subject } from './queries.ts'
import type { OidcSettings } from './settings.ts'

/** What the provider says of whoever signed in there. */
export type OidcPerson = Subject & { email: string | null; isEmailVerified: boolean }

type Rules = Pick<OidcSettings, 'allowedDomains' | 'trustsEmails'>

/**
 * Signs in whoever the provider vouches for. The first time, the account is the one with their verified email, and is
 * linked to their subject; from then on the subject decides, whatever their email becomes. Nobody becomes a member this
 * way. Throws OidcError with email_unverified, domain_not_allowed, no_account or other_subject.
 */
export const signInByOidc = async (
  deps: PlatformCtx & AccountCall,
  person: OidcPerson,
  rules: Rules,
): Promise<SignedIn> => {
  const email = verifiedEmail(person, rules)
  if (rules.allowedDomains.length > 0) requireDomain(email, rules.allowedDomains)
  const linkedId = await findLinkedAccountId(deps, person)
  const account = linkedId === undefined ? await findByEmail(deps, email) : await findAccount(deps, linkedId)
  if (!account || account.isAi || !(await hasWorkspace(deps, account.id)))
    throw new OidcError('no_account', 'belongs to no member of a workspace')
  if (linkedId === undefined) await link(deps, person, account)
  return startSession(deps, { accountId: account.id, method: 'oidc' })
}

/** Null: there is none that can be trusted. */
const verifiedEmail = ({ email, isEmailVerified }: OidcPerson, { trustsEmails }: Rules): string | null =>
  email !== null && (isEmailVerified || trustsEmails) ? foldEmail(email) : null

/**
 * As emails are stored: in lower case. Null for an email that can't be an account's: too long, or with a letter that
 * becomes an ASCII one in lower case (the Kelvin sign), because it is another mailbox than the one with that letter.
 */
const foldEmail = (given: string): string | null => {
  const email = given.trim()
  const isTwin = [...email].some((char) => char > '\x7f' && char.toLowerCase() <= '\x7f')
  return email === '' || email.length > EMAIL_MAX || isTwin || email.includes('\0') || !email.isWellFormed()
    ? null
    : email.toLowerCase()
}

const requireDomain = (email: string | null, domains: readonly string[]): void => {
  if (email === null)
    throw new OidcError('email_unverified', 'has no verified email, and domains are limited')
  if (!domains.includes(email.slice(email.lastIndexOf('@') + 1)))
    throw new OidcError('domain_not_allowed', 'the domain of the email is not in OIDC_ALLOWED_DOMAINS')
}

const findByEmail = (deps: PlatformCtx, email: string | null): Promise<Account | undefined> => {
  if (email === null)
    throw new OidcError(
      'email_unverified',
      'the provider names no email, or does not say that it is verified',
    )
  return findAccountByEmail(deps, email)
}

const link = async (deps: PlatformCtx & AccountCall, person: OidcPerson, account: Account): Promise<void> => {
  await insertSubject(deps, { ...person, accountId: account.id })
  // Someone else may have been linked to the account before, or by a concurrent sign-in.
  if ((await findLinkedAccountId(deps, person)) === account.id) return
  const attempt = {
    action: 'sign_in.failed',
    actor: 'unknown',
    account: { id: account.id, name: account.nickname },
  } as const
  await auditAccount(deps, { ...attempt, changes: { method: { to: 'oidc' } } }, deps)
  throw new OidcError('other_subject', 'the account is linked to another subject of this issuer')
}
