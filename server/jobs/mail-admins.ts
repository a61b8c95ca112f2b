import { listAgents } from '../domain/agents/queries.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import type { Mail } from '../platform/mail.ts'
import type { JobDeps } from './deps.ts'

/** The first of a workspace's admins. */
const ADMINS_MAX = 20

/**
 * Emails a workspace's admins. Without SMTP_URL nobody is told. Throws if nobody could be: whoever got it doesn't get it
 * again because of the others.
 */
export const mailAdmins = async (
  { mail }: Pick<JobDeps, 'mail'>,
  ctx: Ctx,
  words: Omit<Mail, 'to'>,
): Promise<void> => {
  if (!mail || (mail.onlyWorkspaceId !== null && mail.onlyWorkspaceId !== ctx.workspaceId)) return
  const admins = (await listAgents(ctx)).filter(({ role }) => role === 'admin')
  const sent = await Promise.allSettled(
    admins.slice(0, ADMINS_MAX).map(({ email }) => mail.send({ to: email, ...words })),
  )
  const failed = sent.filter(({ status }) => status === 'rejected')
  if (failed.length > 0 && failed.length === sent.length) throw (failed[0] as PromiseRejectedResult).reason
}
