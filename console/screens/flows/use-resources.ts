// What flows can refer to in this workspace: for the pickers of forms, for names in summaries, and for the checks.
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { listSteps } from '../../../flow-engine/definition-index.ts'
import type { FlowDefinition } from '../../../flow-engine/schema.ts'
import type { BusinessHours } from '../../../server/domain/business-hours/schema.ts'
import { actionsQuery } from '../../state/actions.ts'
import { agentsQuery } from '../../state/agents.ts'
import type { WorkspaceApi } from '../../state/api.ts'
import { type FlowSummary, flowsQuery } from '../../state/flows.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import { tagsQuery } from '../../state/tags.ts'
import { teamsQuery } from '../../state/teams.ts'
import { templatesQuery } from '../../state/templates.ts'
import { t } from '../../words/t.ts'
import type { Names } from './definition/words.ts'

export type Named = { id: string; name: string }
export type KnownAction = Named & { parameters: string[]; required: string[]; keeps: string[] }

export type FlowResources = {
  tags: Named[]
  agents: Named[]
  teams: Named[]
  actions: KnownAction[]
  hours: (Named & { isDefault: boolean })[]
  flows: FlowSummary[]
  templates: { name: string; language: string; parameters: number }[]
  /** Whether all of it has been loaded, so that what is missing is gone. */
  isComplete: boolean
  /** By the name that a step keeps a result as: the fields of it. */
  resultsOf: (definition: FlowDefinition) => Record<string, readonly string[]>
}

const hoursQuery = (api: WorkspaceApi) => ({
  queryKey: keys.businessHours(api.workspaceId),
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    api.get<{ businessHours: BusinessHours[] }>('/business-hours', {}, signal),
})

export const useResources = (): { resources: FlowResources; names: Names } => {
  const api = useApi()
  const { data: tags } = useQuery(tagsQuery(api))
  const { data: agents } = useQuery(agentsQuery(api))
  const { data: teams } = useQuery(teamsQuery(api))
  const { data: actions } = useQuery(actionsQuery(api))
  const { data: hours } = useQuery(hoursQuery(api))
  const { data: flows } = useQuery(flowsQuery(api))
  const { data: templates } = useQuery(templatesQuery(api))
  return useMemo(() => {
    const known = (actions?.actions ?? []).map(
      ({ id, name, parameters, keep }): KnownAction => ({
        id,
        name,
        parameters: parameters.map((parameter) => parameter.name),
        required: parameters.flatMap((parameter) => (parameter.isRequired ? [parameter.name] : [])),
        keeps: keep.map((kept) => kept.name),
      }),
    )
    const resources: FlowResources = {
      tags: tags?.tags ?? [],
      agents: (agents?.agents ?? []).map(({ id, nickname }) => ({ id, name: nickname })),
      teams: teams ?? [],
      actions: known,
      hours: hours?.businessHours ?? [],
      flows: flows?.flows ?? [],
      templates: (templates?.templates ?? [])
        .filter(({ isSendable }) => isSendable)
        .map(({ name, language, countParameters }) => ({ name, language, parameters: countParameters })),
      isComplete: [tags, agents, teams, actions, hours, flows, templates].every((data) => data !== undefined),
      resultsOf: (definition) => resultsOf(definition, known),
    }
    return { resources, names: namesOf(resources) }
  }, [tags, agents, teams, actions, hours, flows, templates])
}

const resultsOf = (
  definition: FlowDefinition,
  actions: readonly KnownAction[],
): Record<string, readonly string[]> =>
  Object.fromEntries(
    listSteps(definition).flatMap(({ step }) =>
      step.type === 'call' && step.keep
        ? [[step.keep, actions.find(({ id }) => id === step.actionId)?.keeps ?? []]]
        : [],
    ),
  )

const namesOf = ({ tags, agents, teams, actions, hours, flows }: FlowResources): Names => {
  const lists = { tag: tags, agent: agents, team: teams, action: actions, hours, flow: flows }
  const maps = Object.fromEntries(
    Object.entries(lists).map(([kind, list]) => [kind, new Map(list.map(({ id, name }) => [id, name]))]),
  )
  return {
    name: (kind, id) =>
      id === 'ai' ? t`the AI agent` : id === 'nobody' ? 'nobody' : (maps[kind]?.get(id) ?? id),
  }
}
