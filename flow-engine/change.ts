// The steps that change the contact and the conversation: set, tag, assign, note and close. A deleted tag is logged and
// passed over; an agent who is gone is a failure, because nobody would look after the customer.
import type { EndReason } from './end-reasons.ts'
import { findVariable, isPrivatePath } from './facts.ts'
import { cutText, isBlank } from './fold-text.ts'
import { CONTACT_NAME_MAX, NOTE_MAX } from './limits.ts'
import { type Json, readPath } from './paths.ts'
import { renderText } from './render.ts'
import { toFieldText, toUndeclared, toVariable } from './run-values.ts'
import type { StepOf } from './schema.ts'
import {
  emit,
  emitThen,
  failed,
  go,
  languageOf,
  logStep,
  NEXT,
  type Outcome,
  renderContext,
  type SprintDraft,
} from './sprint.ts'
import { CONTACT_FIELDS, FIELD_PATH, storePaths, VARIABLE_PATH } from './writable-paths.ts'

export const takeSet = (draft: SprintDraft, step: StepOf<'set'>): Outcome => {
  for (const { to, value, from } of step.set) {
    const read = from === undefined ? (value ?? null) : (readPath(draft.scope, from) ?? null)
    const limit = writeValue(draft, step.id, to, read)
    if (limit) return failed(limit)
  }
  const names = step.set.map(({ to }) => to)
  logStep(draft, step, 'done', { set: names })
  return NEXT
}

/** Sets a variable of the run, or a field of the contact by an effect; the following steps see the new value. */
export const writeValue = (
  draft: SprintDraft,
  stepId: string,
  path: string,
  value: Json,
): EndReason | undefined => {
  const { definition, state, env } = draft
  const name = VARIABLE_PATH.exec(path)?.[1]
  if (name !== undefined) {
    const variable = findVariable(definition, name)
    const context = { language: languageOf(draft), timeZone: env.workspace.timeZone }
    state.variables[name] = variable ? toVariable(value, variable, context) : toUndeclared(value)
    return undefined
  }
  const field = FIELD_PATH.exec(path)?.[1]
  return field === undefined ? undefined : writeField(draft, stepId, field, value)
}

/** What is already there is not written again. */
const writeField = (
  draft: SprintDraft,
  stepId: string,
  field: string,
  value: Json,
): EndReason | undefined => {
  const { contact, definition } = draft
  const text = value === null ? '' : toFieldText(value, definition.language)
  const key = field.startsWith('fields.') ? field.slice('fields.'.length) : undefined
  if (key !== undefined) {
    const before = Object.hasOwn(contact.fields, key) ? contact.fields[key] : undefined
    if ((before ?? '') === text) return undefined
    // A key such as __proto__ would otherwise change the object itself.
    const given = { value: text, enumerable: true, configurable: true, writable: true }
    if (text === '') delete contact.fields[key]
    else Object.defineProperty(contact.fields, key, given)
    return emit(draft, { stepId, type: 'setField', field, value: text === '' ? null : text })
  }
  const known = CONTACT_FIELDS.find((one) => one === field)
  if (!known || (contact[known] ?? '') === text) return undefined
  // Nobody is without a name, and what a customer says never replaces an address that is known.
  if (known === 'name' ? text === '' : known !== 'language' && contact[known] !== null) return undefined
  contact[known] = text === '' ? null : known === 'name' ? cutText(text, CONTACT_NAME_MAX) : text
  return emit(draft, { stepId, type: 'setField', field, value: contact[known] })
}

export const takeTag = (draft: SprintDraft, step: StepOf<'tag'>): Outcome => {
  const { existing } = draft.env
  const wanted = [...(step.add ?? []), ...(step.remove ?? [])]
  const missing = wanted.filter((id) => existing.tags.every((tag) => tag.id !== id))
  const has = (id: string) => draft.contact.tags.some((tag) => tag.id === id)
  const remove = (step.remove ?? []).filter(has)
  const add = existing.tags.filter(
    ({ id }) => step.add?.includes(id) && !has(id) && !step.remove?.includes(id),
  )
  draft.contact.tags = [...draft.contact.tags.filter(({ id }) => !remove.includes(id)), ...add]
  logStep(draft, step, 'done', missing.length > 0 ? { missing } : {})
  if (add.length === 0 && remove.length === 0) return NEXT
  return emitThen(draft, { stepId: step.id, type: 'tag', add: add.map(({ id }) => id), remove })
}

/** To a team that still exists, as a step wants; the id of one that doesn't is for the log. */
export const moveToTeam = (
  draft: SprintDraft,
  { id: stepId, teamId }: { id: string; teamId?: string | undefined },
): { missing?: string[]; limit?: EndReason | undefined } => {
  if (teamId === undefined) return {}
  if (!draft.env.existing.teamIds.includes(teamId)) return { missing: [teamId] }
  return { limit: emit(draft, { stepId, type: 'team', teamId }) }
}

export const takeAssign = (draft: SprintDraft, { id, to, ...step }: StepOf<'assign'>): Outcome => {
  const { agents } = draft.env.existing
  // Before everything else, so that the team has it if nobody is available.
  const { limit, ...gone } = moveToTeam(draft, { id, ...step })
  if (limit) return failed(limit)
  const log = (detail: Record<string, Json>) =>
    logStep(draft, { id, type: step.type }, 'done', { ...detail, ...gone })
  if (typeof to === 'string') {
    if (to !== 'ai' && to !== 'nobody' && agents.every((agent) => agent.id !== to))
      return failed('agent_missing')
    log({ to })
    return emitThen(draft, { stepId: id, type: 'assign', to })
  }
  const available = to.among.filter((agentId) =>
    agents.some((agent) => agent.id === agentId && (agent.isOnline || !to.onlineOnly)),
  )
  if (available.length === 0) {
    if (to.else === undefined) return failed('nobody_available')
    log({ target: to.else })
    return go(to.else)
  }
  log({ among: available.length })
  return emitThen(draft, { stepId: id, type: 'assignAmong', agentIds: available, by: to.by ?? 'turn' })
}

/** Private values are left out of notes, which every agent and the AI can read. */
export const takeNote = (draft: SprintDraft, step: StepOf<'note'>): Outcome => {
  const context = { ...renderContext(draft, draft.definition.language), scope: draft.publicScope }
  const text = renderText(step.text, context, NOTE_MAX)
  logStep(draft, step, isBlank(text) ? 'skipped' : 'done')
  return isBlank(text) ? NEXT : emitThen(draft, { stepId: step.id, type: 'note', text })
}

export const takeClose = (draft: SprintDraft, step: StepOf<'close'>): Outcome => {
  logStep(draft, step, 'done')
  return emitThen(draft, { stepId: step.id, type: 'close' })
}

export const isPrivateAnswer = (draft: SprintDraft, store: StepOf<'ask'>['store']): boolean =>
  storePaths(store).some((path) => isPrivatePath(draft.definition, path))
