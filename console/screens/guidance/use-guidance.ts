// The draft of the guidance, connected to the server, and the names of what it refers to.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { actionsQuery } from '../../state/actions.ts'
import type { Guidance, GuidanceAnswer } from '../../state/ai.ts'
import { flowsQuery } from '../../state/flows.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import { tagsQuery } from '../../state/tags.ts'
import { useStoredDraft } from '../../state/use-stored-draft.ts'

export const PAGE = 'ai-guidance'

/** What an older console kept in the browser may lack something. */
const isSound = (value: unknown): boolean => {
  const { instructions, rules, actionIds } = (value ?? {}) as Partial<Guidance>
  return typeof instructions === 'string' && Array.isArray(rules) && Array.isArray(actionIds)
}

export const useGuidanceDraft = (stored: GuidanceAnswer) => {
  const api = useApi()
  const client = useQueryClient()
  return useStoredDraft<Guidance>({
    place: `foyer.guidance.${api.workspaceId}`,
    stored: { definition: stored.draft, revision: stored.revision },
    isSound,
    save: async ({ definition, revision }) => {
      const saved = await api.put<{ revision: number }>('/ai-guidance/draft', {
        guidance: definition,
        revision,
      })
      client.setQueryData<GuidanceAnswer>(
        keys.setting(api.workspaceId, PAGE),
        (known) => known && { ...known, draft: definition, revision: saved.revision },
      )
      return saved
    },
    load: async () => {
      const { draft, revision } = await api.get<GuidanceAnswer>('/ai-guidance')
      return { definition: draft, revision }
    },
  })
}

export const useNames = () => {
  const api = useApi()
  const tags = useQuery(tagsQuery(api)).data?.tags
  const flows = useQuery(flowsQuery(api)).data?.flows
  const actions = useQuery(actionsQuery(api)).data?.actions
  const all = [...(tags ?? []), ...(flows ?? []), ...(actions ?? [])]
  const nameOf = (id: string): string => all.find((one) => one.id === id)?.name ?? id
  return { tags, flows, actions, nameOf }
}

export type Names = ReturnType<typeof useNames>

export type TabProps = {
  guidance: Guidance
  names: Names
  /** `topic` is what somebody types in: its changes are undone together. */
  onChange: (change: Partial<Guidance>, topic?: string | null) => void
}
