import { announceProgress } from '../domain/recipients/settle-recipients.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import type { JobPayloads } from '../platform/queue/catalogue.ts'
import type { JobDeps } from './deps.ts'

export const announceBroadcast = (
  deps: JobDeps,
  { workspaceId, broadcastId }: JobPayloads['announce_broadcast'],
): Promise<void> => announceProgress(systemCtx(deps, workspaceId), broadcastId)
