// The workspace as a simulation sees it: its real business hours, tags, agents, teams and actions, and a made-up customer.
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { BusinessHours } from '../../../../flow-engine/business-hours.ts'
import type { Env, FlowChannel } from '../../../../flow-engine/contract.ts'
import { referencesOf } from '../../../../flow-engine/references.ts'
import type { FlowDefinition } from '../../../../flow-engine/schema.ts'
import { makeTestWorld, type WorldFacts } from '../../../../flow-engine/test-world.ts'
import { keys } from '../../../state/query-keys.ts'
import { useSession } from '../../../state/session.tsx'
import { CHANNEL_FACTS } from '../channel-facts.ts'
import type { FlowResources } from '../use-resources.ts'

export type WorldOf = (definition: FlowDefinition, channel: FlowChannel) => Env

/** `facts` are those that publishing runs the tests with, as far as the console knows them. */
export const useWorld = (
  { tags, agents, teams, actions, templates, flows }: FlowResources,
  now: number,
): { factsOf: (definition: FlowDefinition) => WorldFacts; worldOf: WorldOf } => {
  const { api, workspace } = useSession()
  const { data } = useQuery({
    queryKey: keys.businessHours(api.workspaceId),
    queryFn: ({ signal }) => api.get<{ businessHours: BusinessHours[] }>('/business-hours', {}, signal),
  })
  const hours = data?.businessHours
  return useMemo(() => {
    const factsOf = (definition: FlowDefinition): WorldFacts => ({
      now,
      workspace: {
        name: workspace.name,
        timeZone: hours?.find(({ isDefault }) => isDefault)?.timeZone ?? 'UTC',
      },
      hours: hours ?? [],
      channels: CHANNEL_FACTS,
      existing: {
        tags: tags.map(({ id, name }) => ({ id, name })),
        agents: agents.map(({ id }) => ({ id, isOnline: true })),
        teamIds: teams.map(({ id }) => id),
        actionIds: actions.map(({ id }) => id),
        templates: templates.map(({ name, language }) => ({ name, language })),
        flowIds: flows.filter(({ state }) => state === 'live').map(({ id }) => id),
        attachmentIds: referencesOf(definition)
          .filter(({ kind }) => kind === 'attachment')
          .map(({ id }) => id),
      },
    })
    return {
      factsOf,
      worldOf: (definition, channel) => makeTestWorld(definition, factsOf(definition), channel),
    }
  }, [tags, agents, teams, actions, templates, flows, now, workspace.name, hours])
}
