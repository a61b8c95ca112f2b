// Tells a workspace's admins, once a day or month, that the AI agent's model has used most of its budget.
import { listSpending } from '../domain/ai/budgets/queries.ts'
import { findWorkspace } from '../domain/workspaces/queries.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import type { JobPayloads } from '../platform/queue/catalogue.ts'
import type { JobDeps } from './deps.ts'
import { mailAdmins } from './mail-admins.ts'

const MILLION = 1_000_000

/** Without SMTP_URL nobody is told by email; the settings show what was spent. */
export const warnOfSpending = async (
  deps: JobDeps,
  { workspaceId, period }: JobPayloads['warn_of_spending'],
): Promise<void> => {
  const ctx = systemCtx(deps, workspaceId)
  const spent = (await listSpending(ctx)).find((one) => one.period === period)
  if (!spent || spent.budget === null) return
  const name = (await findWorkspace(ctx.db, workspaceId))?.name ?? ''
  const amount = (millionths: number) => `${(millionths / MILLION).toFixed(2)} ${spent.currency}`
  const when = period === 'day' ? 'today' : 'this month'
  const words = {
    subject: `${name}: most of the AI agent’s budget is used`,
    text: `The language model of the AI agent in ${name} has cost ${amount(spent.cost)} ${when}, of ${amount(spent.budget)}.

When the budget is used up, the agent replies from your saved answers and articles alone, and hands over what it can't answer, until ${period === 'day' ? 'tomorrow' : 'next month'} (UTC).

To change the budget, go to Settings > AI agent: ${deps.publicUrl}
`,
  }
  await mailAdmins(deps, ctx, words)
}
