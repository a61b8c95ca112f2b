// The values that conditions and texts of a run can read.
import { closesAt, findHours, isOpen, isUsable, opensAt } from './business-hours.ts'
import type { ContactFacts, Env, RunState } from './contract.ts'
import type { Json, Scope } from './paths.ts'
import type { FlowDefinition, Variable } from './schema.ts'

export type FactSources = {
  definition: FlowDefinition
  env: Env
  /** As changed by the sprint so far. */
  contact: ContactFacts
  state: RunState
}

/** Reads from the sources as they are at that moment, so a value that a step sets is there for the next. */
export const scopeOf =
  (sources: Omit<FactSources, 'definition'>): Scope =>
  (root) => {
    const { env, contact, state } = sources
    switch (root) {
      case 'contact':
        return contactValues(contact)
      case 'conversation':
        return { ...env.conversation, openedAt: toMoment(env.conversation.openedAt) }
      case 'message':
        return state.message
      case 'run':
        return state.variables
      case 'call':
        return state.calls
      case 'workspace':
        return { name: env.workspace.name }
      case 'agent':
        return undefined
      case 'hours':
        return hoursValues(env, state.hoursId)
    }
  }

/** The same without private variables: for what people and models read. */
export const publicScopeOf = (sources: FactSources): Scope => {
  const scope = scopeOf(sources)
  return (root) => (root === 'run' ? publicVariables(sources.definition, sources.state) : scope(root))
}

export const publicVariables = (definition: FlowDefinition, { variables }: RunState): Record<string, Json> =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => !findVariable(definition, name)?.isPrivate))

export const findVariable = ({ variables }: FlowDefinition, name: string): Variable | undefined =>
  variables && Object.hasOwn(variables, name) ? variables[name] : undefined

/** Whether a path leads to a private variable. */
export const isPrivatePath = (definition: FlowDefinition, path: string): boolean => {
  const [root, name] = path.split('.')
  return root === 'run' && name !== undefined && findVariable(definition, name)?.isPrivate === true
}

const contactValues = (contact: ContactFacts): Json => ({ ...contact, firstName: firstNameOf(contact.name) })

/** Contacts without a name are called by their phone or email, which is no way to greet them. */
export const firstNameOf = (name: string | null): string | null =>
  name === null || name.includes('@') || !/\p{L}/u.test(name) ? null : name.trim().split(/\s+/u, 1)[0]!

const hoursValues = (env: Env, hoursId: string | null): Json | undefined => {
  const hours = findHours(env.hours, hoursId ?? undefined)
  if (!hours || !isUsable(hours)) return undefined
  return {
    name: hours.name,
    isOpen: isOpen(hours, env.now),
    opensAt: toMoment(opensAt(hours, env.now)),
    closesAt: toMoment(closesAt(hours, env.now)),
  }
}

const toMoment = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())
