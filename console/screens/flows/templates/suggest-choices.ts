// What a template's needs most likely are in this workspace, and the tags that are created for it.
import type { Choices, FlowTemplate, TemplateNeed } from '../../../../flow-engine/templates/template.ts'
import type { WorkspaceApi } from '../../../state/api.ts'
import type { Tag } from '../../../state/types.ts'
import type { FlowResources } from '../use-resources.ts'

export type Resources = Pick<FlowResources, 'tags' | 'agents' | 'actions'>

/** Stands for a tag that doesn't exist yet. */
export const NEW_TAG = 'new'
const NEW_TAG_COLOR = '#2f80ed'

const isNamed =
  (wanted: string) =>
  ({ name }: { name: string }): boolean =>
    name.toLowerCase() === wanted.toLowerCase()

/** A tag of that name or a new one, oneself as the agent, and the only action there is. */
export const suggestChoices = ({ needs }: FlowTemplate, resources: Resources, ownId: string): Choices =>
  Object.fromEntries(needs.map((need) => [need.id, suggest(need, resources, ownId)]))

const suggest = (
  { kind, name }: TemplateNeed,
  { tags, agents, actions }: Resources,
  ownId: string,
): string => {
  if (kind === 'tag') return tags.find(isNamed(name))?.id ?? NEW_TAG
  if (kind === 'agent') return (agents.find(({ id }) => id === ownId) ?? agents[0])?.id ?? ''
  return actions.length === 1 ? actions[0]!.id : (actions.find(isNamed(name))?.id ?? '')
}

/** The choices with ids only: new tags are created, and an action that isn't chosen yet is left empty. */
export const createTags = async (
  api: WorkspaceApi,
  { needs }: FlowTemplate,
  choices: Choices,
): Promise<Choices> => {
  const filled: Record<string, string> = {}
  for (const { id, kind, name } of needs) {
    const choice = choices[id] ?? ''
    if (choice === NEW_TAG) {
      const { tag } = await api.post<{ tag: Tag }>('/tags', { name, color: NEW_TAG_COLOR })
      filled[id] = tag.id
    } else if (choice !== '' || kind === 'action') filled[id] = choice
  }
  return filled
}
