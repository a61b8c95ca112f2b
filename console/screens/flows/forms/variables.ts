// The paths that texts, conditions and values of a flow can use.
import type { FlowDefinition } from '../../../../flow-engine/schema.ts'
import { writesOf } from '../../../../flow-engine/step-parts.ts'
import { CONTACT_FIELDS } from '../../../../flow-engine/writable-paths.ts'
import { t } from '../../../words/t.ts'

export type KnownPath = { path: string; group: string }

const of = (group: string, paths: readonly string[]): KnownPath[] => paths.map((path) => ({ path, group }))

const CONTACT = ['name', 'firstName', 'email', 'phone', 'language', 'country']

/** The flow's own variables: declared, or written by a step. */
const ownPaths = (definition: FlowDefinition): string[] => {
  const declared = Object.keys(definition.variables ?? {}).map((name) => `run.${name}`)
  const written = Object.values(definition.blocks).flatMap(({ steps }) => steps.flatMap(writesOf))
  return [...new Set([...declared, ...written])].filter((path) => path !== '')
}

export const readablePaths = (
  definition: FlowDefinition,
  actionResults: Record<string, readonly string[]> = {},
): KnownPath[] => {
  const own = ownPaths(definition)
  const results = own.flatMap((path) =>
    path.startsWith('call.') ? (actionResults[path.slice(5)] ?? []).map((name) => `${path}.${name}`) : [],
  )
  return [
    ...of(
      t`This flow`,
      own.filter((path) => path.startsWith('run.')),
    ),
    ...of(t`Results of actions`, [
      ...own.filter((path) => path.startsWith('call.') && !results.some((one) => one.startsWith(`${path}.`))),
      ...results,
    ]),
    ...of(t`Contact`, [
      ...CONTACT.map((name) => `contact.${name}`),
      ...own.filter((path) => path.startsWith('contact.fields.')),
    ]),
    ...of(t`Message`, ['message.text']),
    ...of(t`Conversation`, ['conversation.channel', 'conversation.subject', 'conversation.agent']),
    ...of(t`Business hours`, ['hours.isOpen', 'hours.opensAt', 'hours.closesAt']),
    ...of(t`Workspace`, ['workspace.name']),
  ]
}

/** In conditions, tags and a conversation's place in time too. */
export const comparablePaths = (
  definition: FlowDefinition,
  actionResults?: Record<string, readonly string[]>,
): KnownPath[] => [
  ...readablePaths(definition, actionResults),
  ...of(t`Contact`, ['contact.tags']),
  ...of(t`Conversation`, ['conversation.isFirst', 'conversation.openedAt']),
]

export const writablePaths = (definition: FlowDefinition): KnownPath[] => {
  const own = ownPaths(definition)
  return [
    ...of(
      t`This flow`,
      own.filter((path) => path.startsWith('run.')),
    ),
    ...of(t`Contact`, [
      ...CONTACT_FIELDS.map((name) => `contact.${name}`),
      ...own.filter((path) => path.startsWith('contact.fields.')),
    ]),
  ]
}
