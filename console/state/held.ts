// What the person has sent and can still undo, or what could not be sent when its time came. The server keeps it.
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { WorkspaceApi } from './api.ts'
import { keys } from './query-keys.ts'
import type { HeldMessage } from './types.ts'

/** `dueMs`: by this computer's clock. */
export type Held = HeldMessage & { dueMs: number }

/** Until the server has sent what is due. */
const SENT_AFTER_MS = 400

const toHeld = (held: HeldMessage): Held => ({ ...held, dueMs: Date.now() + held.msLeft })

export const heldQuery = (api: WorkspaceApi) =>
  queryOptions({
    queryKey: keys.outbox(api.workspaceId),
    queryFn: async ({ signal }) =>
      (await api.get<{ held: HeldMessage[] }>('/outbox', {}, signal)).held.map(toHeld),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) => {
      const due = (state.data ?? []).flatMap(({ problem, dueMs }) => (problem ? [] : dueMs))
      return due.length > 0 && Math.max(1_000, Math.min(...due) - Date.now() + SENT_AFTER_MS)
    },
  })

export const putHeld = async (client: QueryClient, w: string, held: HeldMessage): Promise<void> => {
  const queryKey = keys.outbox(w)
  // A response on its way doesn't have it yet.
  await client.cancelQueries({ queryKey })
  client.setQueryData<Held[]>(queryKey, (known = []) => [
    ...known.filter(({ id }) => id !== held.id),
    toHeld(held),
  ])
}

export const dropHeld = (client: QueryClient, w: string, heldId: string): void => {
  client.setQueryData<Held[]>(keys.outbox(w), (known) => known?.filter(({ id }) => id !== heldId))
}
