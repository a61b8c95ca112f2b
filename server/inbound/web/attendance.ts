// Whether any agent of a workspace is online, for visitors with an open page.
import { onlineSince } from '../../domain/accounts/online.ts'
import { listAttendedWorkspaces } from '../../domain/visitors/queries.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { StreamHub } from '../../platform/http/stream-hub.ts'
import type { Listener, Page } from './visitor-listeners.ts'

export const makeAttendance = ({ db, now }: Pick<Ctx, 'db' | 'now'>, hub: StreamHub<Page>) => {
  const attended = new Map<string, boolean>()

  const send = ({ workspaceId, stream }: Listener): void => {
    const isOnline = attended.get(workspaceId)
    if (isOnline !== undefined) stream.send({ event: 'presence', data: { isOnline } })
  }

  /** Checks all the workspaces at once, and notifies the listeners of those that changed. */
  const check = async (workspaceIds: string[]): Promise<void> => {
    if (workspaceIds.length === 0) return
    const online = new Set(await listAttendedWorkspaces(db, workspaceIds, onlineSince(now())))
    for (const id of workspaceIds) {
      // The last listener may have left meanwhile, which would leave the entry behind.
      if (attended.get(id) === online.has(id) || hub.of(id).size === 0) continue
      attended.set(id, online.has(id))
      for (const listener of hub.of(id)) send(listener)
    }
  }

  return {
    check,
    sendTo: async (listener: Listener): Promise<void> => {
      if (attended.has(listener.workspaceId)) send(listener)
      else await check([listener.workspaceId])
    },
    forget: (workspaceId: string) => attended.delete(workspaceId),
  }
}
