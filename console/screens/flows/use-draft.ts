// Connects a flow's draft to the server and to this browser's storage.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { FlowDefinition } from '../../../flow-engine/schema.ts'
import { ApiError, type WorkspaceApi } from '../../state/api.ts'
import { type FlowDetails, fetchFlow, saveDraft } from '../../state/flows.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import { isSound } from './definition/is-sound.ts'
import { type Draft, type DraftSnapshot, type DraftStore, openDraft } from './draft-store.ts'

const keyOf = (api: WorkspaceApi, flowId: string): string => `foyer.flow.${api.workspaceId}.${flowId}`

const readKept = (key: string): Draft | null => {
  try {
    const value = JSON.parse(localStorage.getItem(key) ?? 'null') as Partial<Draft> | null
    const isDraft = value && typeof value.revision === 'number' && isSound(value.definition)
    return isDraft ? { definition: value.definition as FlowDefinition, revision: value.revision! } : null
  } catch {
    return null
  }
}

const keepAt = (key: string, draft: Draft | null): void => {
  try {
    if (draft) localStorage.setItem(key, JSON.stringify(draft))
    else localStorage.removeItem(key)
  } catch {
    // Full or forbidden: the draft is still saved to the server.
  }
}

const readError = (error: unknown): string => {
  if (!(error instanceof ApiError)) return 'offline'
  if (error.status === 409) return 'stale'
  return error.status === 0 || error.status === 429 || error.status >= 500 ? 'offline' : error.message
}

/** One store for as long as the page of this flow is open; leaving it saves what is left. */
export const useDraft = (flow: FlowDetails): { store: DraftStore; draft: DraftSnapshot } => {
  const api = useApi()
  const client = useQueryClient()
  const [store] = useState(() => {
    const key = keyOf(api, flow.id)
    return openDraft({ definition: flow.draft, revision: flow.draftRevision }, readKept(key), {
      save: async (draft) => {
        const saved = await saveDraft(api, flow.id, draft)
        client.setQueryData<FlowDetails>(
          keys.flow(api.workspaceId, flow.id),
          (known) => known && { ...known, draft: draft.definition, draftRevision: saved.revision },
        )
        return saved
      },
      load: async () => {
        const { draft, draftRevision } = await fetchFlow(api, flow.id)
        return { definition: draft, revision: draftRevision }
      },
      readError,
      keep: (draft) => keepAt(key, draft),
      now: Date.now,
      wait: (work, ms) => {
        const timer = setTimeout(work, ms)
        return () => clearTimeout(timer)
      },
    })
  })
  useEffect(() => {
    const online = (): void => void store.flush()
    window.addEventListener('online', online)
    return () => {
      window.removeEventListener('online', online)
      store.close()
    }
  }, [store])
  return { store, draft: useSyncExternalStore(store.subscribe, store.get) }
}
