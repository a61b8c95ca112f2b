// Tells a workspace's admins that an endpoint of webhooks has been failing for a while, or was disabled.
import { findEndpoint } from '../domain/webhooks/endpoint-queries.ts'
import { findWorkspace } from '../domain/workspaces/queries.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import type { JobPayloads } from '../platform/queue/catalogue.ts'
import type { JobDeps } from './deps.ts'
import { mailAdmins } from './mail-admins.ts'

const REASONS: Record<string, string> = {
  failing: 'because every request to it has failed for five days',
  gone: 'because the server responded with status 410 (Gone)',
  url_refused: 'because connections to its address aren’t allowed',
  scope_lost: 'because the token that created it may no longer manage webhooks',
}

/** `warning`: how many there were of this failure, or why the endpoint was disabled. */
export const warnOfWebhook = async (
  deps: JobDeps,
  { workspaceId, endpointId, warning }: JobPayloads['warn_of_webhook'],
): Promise<void> => {
  const ctx = systemCtx(deps, workspaceId)
  const endpoint = await findEndpoint(ctx, endpointId)
  const reason = REASONS[warning]
  // It works again, or somebody has dealt with it.
  if (!endpoint || (reason ? endpoint.status !== 'disabled' : endpoint.failingSince === null)) return
  const workspace = (await findWorkspace(ctx.db, workspaceId))?.name ?? ''
  const { name, url, failingSince } = endpoint
  const { host } = new URL(url)
  const words = reason
    ? {
        subject: `${workspace}: webhooks to ${host} were turned off`,
        text: `Foyer no longer sends events to “${name}” (${host}), ${reason}.

Events are kept for 30 days. Once the endpoint works, enable it in Settings > Webhooks, with the events that it missed or without them: ${deps.publicUrl}
`,
      }
    : {
        subject: `${workspace}: webhooks to ${host} are failing`,
        text: `Requests to “${name}” (${host}) have been failing since ${failingSince}.

Nothing is lost: events wait, and are sent once the endpoint responds with a 2xx status. After five days the endpoint is turned off.

Settings > Webhooks shows what was sent and what came back: ${deps.publicUrl}
`,
      }
  await mailAdmins(deps, ctx, words)
}
