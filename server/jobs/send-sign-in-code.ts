// Makes the code and mails it, where the email is a member's. Tried again while it is still good for something; each
// try makes a new code, because of the one before nothing is kept but its hash.
import { randomInt } from 'node:crypto'
import { findAccountByEmail, hasWorkspace } from '../resources/agents/queries.ts'
import { findCodeRequest, setCode } from '../resources/sessions/queries.ts'
import { hashCode } from '../resources/sessions/sign-in.ts'
import type { JobPayloads } from './catalogue.ts'
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
  // Asked for where mail can be sent, and taken up where it cannot: another worker may.
  if (!deps.mail) throw new Error('a sign-in code waits for a worker with SMTP_URL')
  const account = await findAccountByEmail(deps, request.email)
  if (!account || account.isAi || !(await hasWorkspace(deps, account.id))) return
  const code = String(randomInt(CODES)).padStart(CODE_LENGTH, '0')
  await setCode(deps, {
    browserHash,
    accountId: account.id,
    codeHash: hashCode(deps.seal, browserHash, code),
  })
  await deps.mail.send({
    to: request.email,
    subject: `${code} is your Foyer code`,
    text: `${code} is your code to sign in to Foyer at ${deps.publicUrl}.

It works once, within ten minutes, in the browser that asked for it.
If you did not ask for it, leave it be: nobody can sign in without it.
`,
  })
}
