import { useQueryClient } from '@tanstack/react-query'
import type { FlowDefinition } from '../../../flow-engine/schema.ts'
import type { DraftSnapshot, DraftStore } from '../../state/draft-store.ts'
import { type FlowDetails, fetchFlow, saveDraft } from '../../state/flows.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import { useStoredDraft } from '../../state/use-stored-draft.ts'
import { isSound } from './definition/is-sound.ts'

export type FlowDraftStore = DraftStore<FlowDefinition>

/** One store for as long as the page of this flow is open. */
export const useDraft = (
  flow: FlowDetails,
): { store: FlowDraftStore; draft: DraftSnapshot<FlowDefinition> } => {
  const api = useApi()
  const client = useQueryClient()
  return useStoredDraft({
    place: `foyer.flow.${api.workspaceId}.${flow.id}`,
    stored: { definition: flow.draft, revision: flow.draftRevision },
    isSound,
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
  })
}
