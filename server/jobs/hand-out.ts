// Gives what waits in teams to whoever is there by now. What waits are rows, so nothing is lost with a process.
import { handOutWaiting } from '../domain/conversations/hand-out.ts'
import { listAssigningWorkspaces } from '../domain/team-settings/queries.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import { isOutage } from '../platform/db/failures.ts'
import type { JobDeps } from './deps.ts'

export const handOutIn = async (deps: JobDeps, { teamsOf }: { teamsOf: string }): Promise<void> => {
  await handOutWaiting(systemCtx(deps, teamsOf))
}

export const sweepTeams = async (deps: JobDeps): Promise<void> => {
  for (const workspaceId of await listAssigningWorkspaces(deps.db)) {
    if (deps.isStopping()) return
    try {
      await handOutWaiting(systemCtx(deps, workspaceId))
    } catch (error) {
      if (isOutage(error)) throw error
      deps.log.warn({ err: error, workspaceId }, 'what waits in teams could not be handed out')
    }
  }
}
