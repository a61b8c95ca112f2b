// What a definition refers to by id: tags, agents, teams, actions, templates, hours, flows and files.
import { listSteps } from './definition-index.ts'
import type { FlowDefinition, Step } from './schema.ts'

export type ReferenceKind =
  | 'tag'
  | 'agent'
  | 'team'
  | 'action'
  | 'template'
  | 'hours'
  | 'flow'
  | 'attachment'
  | 'account'

/** What people call them. */
export const NOUNS: Record<ReferenceKind, string> = {
  tag: 'tag',
  agent: 'agent',
  team: 'team',
  action: 'action',
  template: 'template',
  hours: 'business hours',
  flow: 'flow',
  attachment: 'attachment',
  account: 'channel account',
}

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
      return [
        ...all('agent', typeof step.to === 'string' ? agentOf(step.to) : step.to.among),
        ...all('team', teamOf(step)),
      ]
    case 'people':
      return [
        ...(step.assign === undefined ? [] : all('agent', agentOf(step.assign))),
        ...all('team', teamOf(step)),
      ]
    case 'call':
      return all('action', [step.actionId])
    case 'flow':
      return all('flow', [step.flowId])
    default:
      return []
  }
}

/** The definition with other ids in the places that `referencesOf` names; what stays undefined is left as it is. */
export const replaceReferences = (
  definition: FlowDefinition,
  replace: (reference: Omit<Reference, 'stepId'>) => string | undefined,
): FlowDefinition => {
  const idFor = (kind: ReferenceKind, id: string): string => replace({ kind, id }) ?? id
  const all = (kind: ReferenceKind, ids: readonly string[]): string[] => [
    // Two tags of the file may have become one here.
    ...new Set(ids.map((id) => idFor(kind, id))),
  ]
  const agent = (to: string): string => (agentOf(to).length > 0 ? idFor('agent', to) : to)
  const team = ({ teamId }: { teamId?: string | undefined }) =>
    teamId === undefined ? {} : { teamId: idFor('team', teamId) }
  const replaceIn = (step: Step): Step => {
    switch (step.type) {
      case 'send':
        return step.attachmentIds ? { ...step, attachmentIds: all('attachment', step.attachmentIds) } : step
      case 'hours':
        return step.hoursId === undefined ? step : { ...step, hoursId: idFor('hours', step.hoursId) }
      case 'tag':
        return {
          ...step,
          ...(step.add && { add: all('tag', step.add) }),
          ...(step.remove && { remove: all('tag', step.remove) }),
        }
      case 'assign':
        return {
          ...step,
          to:
            typeof step.to === 'string' ? agent(step.to) : { ...step.to, among: all('agent', step.to.among) },
          ...team(step),
        }
      case 'people':
        return { ...step, ...(step.assign !== undefined && { assign: agent(step.assign) }), ...team(step) }
      case 'call':
        return { ...step, actionId: idFor('action', step.actionId) }
      case 'flow':
        return { ...step, flowId: idFor('flow', step.flowId) }
      default:
        return step
    }
  }
  return {
    ...definition,
    triggers: definition.triggers.map((trigger) => ({
      ...trigger,
      ...(trigger.tagId && { tagId: idFor('tag', trigger.tagId) }),
      ...(trigger.accountIds && { accountIds: all('account', trigger.accountIds) }),
    })),
    blocks: Object.fromEntries(
      Object.entries(definition.blocks).map(([id, block]) => [
        id,
        { ...block, steps: block.steps.map(replaceIn) },
      ]),
    ),
  }
}

const teamOf = ({ teamId }: { teamId?: string | undefined }): string[] =>
  teamId === undefined ? [] : [teamId]

const agentOf = (to: string): string[] => (to === 'ai' || to === 'nobody' ? [] : [to])
