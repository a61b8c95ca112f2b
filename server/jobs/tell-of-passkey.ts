// Emails a person that their passkeys have changed, so that they notice if it wasn't them.
import { belongsToOnly, findAccount } from '../domain/accounts/queries.ts'
import type { Mail } from '../platform/mail.ts'
import type { JobPayloads } from '../platform/queue/catalogue.ts'
import type { JobDeps } from './deps.ts'

type Notice = JobPayloads['tell_of_passkey']

/** Without SMTP_URL nobody is told. */
export const tellOfPasskey = async (deps: JobDeps, notice: Notice): Promise<void> => {
  const account = await findAccount(deps, notice.accountId)
  const { mail } = deps
  if (!mail || !account) return
  if (mail.onlyWorkspaceId !== null && !(await belongsToOnly(deps, account.id, mail.onlyWorkspaceId))) return
  await mail.send({ to: account.email, ...wordsOf(notice, deps.publicUrl) })
}

const NOT_YOU = `If this wasn't you, ask whoever runs Foyer to reset your passkeys, and check who can read your email.
`

const wordsOf = ({ happening, name }: Notice, publicUrl: string): Omit<Mail, 'to'> =>
  ({
    added: {
      subject: 'A passkey was added to your Foyer account',
      text: `The passkey “${name}” was added to your account at ${publicUrl}.

After a code or a link by email, signing in now takes a passkey or a recovery code as well.

${NOT_YOU}`,
    },
    removed: {
      subject: 'A passkey was removed from your Foyer account',
      text: `The passkey “${name}” was removed from your account at ${publicUrl}.

${NOT_YOU}`,
    },
    reset: {
      subject: 'Your Foyer passkeys were reset',
      text: `Whoever runs Foyer at ${publicUrl} has removed all of your passkeys and recovery codes, and signed you out everywhere.

Sign in with a code or a link by email, and add a passkey again from the menu with your name.

If you didn't ask for this, ask whoever runs Foyer.
`,
    },
  })[happening]
