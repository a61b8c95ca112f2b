// Creates the code and the link and emails them, if the address is a member's. Retried while still useful; each
// attempt creates new ones, because only hashes of the previous ones are stored.
import { randomInt } from 'node:crypto'
import { findCodeRequest, setCode } from '../domain/accounts/code-queries.ts'
import { insertSignInLink, LINK_VALID_MINUTES } from '../domain/accounts/create-sign-in-link.ts'
import { belongsToOnly, findAccountByEmail, hasWorkspace } from '../domain/accounts/queries.ts'
import { hashCode } from '../domain/accounts/sign-in.ts'
import type { Mail, Mailer } from '../platform/mail.ts'
import type { JobPayloads } from '../platform/queue/catalogue.ts'
import type { JobDeps } from './deps.ts'

const CODES = 1_000_000
const CODE_LENGTH = 6

export const sendSignInCode = async (
  deps: JobDeps,
  payload: JobPayloads['send_sign_in_code'],
): Promise<void> => {
  const browserHash = Buffer.from(payload.browserHash, 'hex')
  const request = await findCodeRequest(deps, browserHash)
  if (!request) return
  // Requested where mail can be sent, but run where it can't: another worker may be able to.
  if (!deps.mail) throw new Error('a sign-in code is waiting for a worker with SMTP_URL')
  const account = await findAccountByEmail(deps, request.email)
  if (!account || account.isAi || !(await hasWorkspace(deps, account.id))) return
  const { onlyWorkspaceId } = deps.mail
  if (onlyWorkspaceId !== null && !(await belongsToOnly(deps, account.id, onlyWorkspaceId))) {
    logOnce(deps)
    return
  }
  const { url } = await insertSignInLink(deps, account.id, 'mail')
  if (!request.hasCode) return deps.mail.send({ to: request.email, ...linkAlone(deps.publicUrl, url) })
  const code = String(randomInt(CODES)).padStart(CODE_LENGTH, '0')
  await setCode(deps, {
    browserHash,
    accountId: account.id,
    codeHash: hashCode(deps.seal, browserHash, code),
  })
  await deps.mail.send({ to: request.email, ...codeAndLink(deps.publicUrl, code, url) })
}

const LINK_WORKS = `It works once, within ${LINK_VALID_MINUTES} minutes`
const NOT_YOU = `If you didn't ask to sign in, ignore this email. Don't give the code or the link to anyone.
`

const codeAndLink = (publicUrl: string, code: string, url: string): Omit<Mail, 'to'> => ({
  subject: `${code} is your Foyer code`,
  text: `${code} is your code to sign in to Foyer at ${publicUrl}.

Enter it in the browser that asked for it. It works once, within ten minutes.

Or open this link to sign in in any browser. ${LINK_WORKS}:

${url}

${NOT_YOU}`,
})

const linkAlone = (publicUrl: string, url: string): Omit<Mail, 'to'> => ({
  subject: 'Your link to sign in to Foyer',
  text: `Open this link to sign in to Foyer at ${publicUrl}. ${LINK_WORKS}:

${url}

Many codes were requested for your address today, so this email has a link only.

${NOT_YOU}`,
})

/** Logged once per mailer, not for every code it may not send. */
const said = new WeakSet<Mailer>()
const logOnce = ({ mail, log }: JobDeps): void => {
  if (!mail || said.has(mail)) return
  said.add(mail)
  log.warn(
    {},
    "a sign-in code was not sent: without SMTP_URL, only codes for the demo's own members go to the sandbox. Set SMTP_URL, " +
      'or create a link with foyer sign-in-link --email',
  )
}
