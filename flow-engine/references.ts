// What a definition refers to by id: tags, agents, actions, templates, hours, flows and files.
import { listSteps } from './definition-index.ts'
import type { FlowDefinition, Step } from './schema.ts'

export type ReferenceKind =
  | 'tag'
  | 'agent'
  | 'action'
  | 'template'
  | 'hours'
  | 'flow'
  | 'attachment'
  | 'account'

/** `stepId` is null for those of triggers. A template's `id` is its name; `language` is set for templates only. */
export type Reference = { kind: ReferenceKind; id: string; language?: string; stepId: string | null }

/** Everything a definition refers to, in the order of its triggers and steps; an id may come more than once. */
export const referencesOf = (definition: FlowDefinition): Reference[] => [
  ...definition.triggers.flatMap(({ tagId, accountIds = [] }) => [
    ...(tagId ? [{ kind: 'tag' as const, id: tagId, stepId: null }] : []),
    ...accountIds.map((id) => ({ kind: 'account' as const, id, stepId: null })),
  ]),
  ...listSteps(definition).flatMap(({ step }) =>
    idsOf(step).map((reference) => ({ ...reference, stepId: step.id })),
  ),
]

const idsOf = (step: Step): Omit<Reference, 'stepId'>[] => {
  const all = (kind: ReferenceKind, ids: readonly string[] = []) => ids.map((id) => ({ kind, id }))
  switch (step.type) {
    case 'send':
      return [
        ...all('attachment', step.attachmentIds),
        ...(step.ifWindowClosed
          ? [
              {
                kind: 'template' as const,
                id: step.ifWindowClosed.name,
                language: step.ifWindowClosed.language,
              },
            ]
          : []),
      ]
    case 'hours':
      return step.hoursId === undefined ? [] : all('hours', [step.hoursId])
    case 'tag':
      return all('tag', [...(step.add ?? []), ...(step.remove ?? [])])
    case 'assign':
      return typeof step.to === 'string' ? all('agent', agentOf(step.to)) : all('agent', step.to.among)
    case 'people':
      return step.assign === undefined ? [] : all('agent', agentOf(step.assign))
    case 'call':
      return all('action', [step.actionId])
    case 'flow':
      return all('flow', [step.flowId])
    default:
      return []
  }
}

const agentOf = (to: string): string[] => (to === 'ai' || to === 'nobody' ? [] : [to])
