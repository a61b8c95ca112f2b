import { announceProgress } from '../resources/broadcasts/settle-recipients.ts'
import type { JobPayloads } from './catalogue.ts'
import { type JobDeps, systemCtx } from './deps.ts'

export const announceBroadcast = (
  deps: JobDeps,
  { workspaceId, broadcastId }: JobPayloads['announce_broadcast'],
): Promise<void> => announceProgress(systemCtx(deps, workspaceId), broadcastId)
