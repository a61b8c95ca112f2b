// What an effect of a flow changes in its conversation.
import type { Effect } from '../../../flow-engine/contract.ts'
import type { Run, Stage } from './place.ts'
import { planHandOver } from './plan-hand-over.ts'

/** Remembers an effect for later, and changes what the rest of the conversation sees. */
export const takeEffect = async (stage: Stage, run: Run, effect: Effect): Promise<void> => {
  const { world, place } = stage
  const { acts, contact } = place
  switch (effect.type) {
    case 'send': {
      const { stepId, text, choices, attachmentIds } = effect
      acts.push({ is: 'message', run, stepId, text, choices, attachmentIds })
      return
    }
    case 'sendTemplate':
      acts.push({ is: 'template', run, effect })
      return
    case 'assign':
      if (effect.to === 'ai' && !world.hasAi) return planHandOver(stage, run, toPeople(run))
      assign(stage, run, effect.to === 'nobody' ? null : effect.to)
      return
    case 'assignAmong':
      assign(stage, run, await world.chooseAgent(effect.agentIds, effect.by))
      return
    case 'team':
      acts.push({ is: 'team', run, teamId: effect.teamId })
      return
    case 'tag': {
      const kept = contact.tags.filter(({ id }) => !effect.remove.includes(id))
      const { tags } = await world.existingFor(run.definition!)
      contact.tags = [...kept, ...tags.filter(({ id }) => effect.add.includes(id))]
      acts.push({ is: 'tags', run, tagIds: contact.tags.map(({ id }) => id) })
      return
    }
    case 'setField':
      setField(stage, effect.field, effect.value)
      acts.push({ is: 'field', run, field: effect.field, value: effect.value })
      return
    case 'note':
      acts.push({ is: 'note', run, text: effect.text })
      return
    case 'close':
      place.conversation = { ...place.conversation, status: 'closed' }
      acts.push({ is: 'close', run })
      // Closing ends a pause; see closeConversation.
      place.state = { ...place.state, pausedAt: null, pausedUntil: null, pauseReason: null }
      return
    case 'call':
      acts.push({ is: 'call', run, effect })
      return
    case 'handOver':
      return planHandOver(stage, run, effect)
    case 'startAi':
    case 'startFlow':
  }
}

/** A hand-over that no step of the flow asked for. */
export const toPeople = (run: Run) => ({
  reason: 'flow' as const,
  assignTo: null,
  text: null,
  language: run.definition?.language ?? 'en',
  isSilent: !run.isDialog,
  summary: 'answers' as const,
  collected: [],
})

const assign = ({ place }: Stage, run: Run, agentId: string | null): void => {
  place.agent = agentId === null ? null : { id: agentId, name: agentId, isAi: agentId === 'ai' }
  place.acts.push({ is: 'assign', run, agentId })
}

const setField = ({ place: { contact } }: Stage, field: string, value: string | null): void => {
  const key = field.startsWith('fields.') ? field.slice('fields.'.length) : null
  if (key === null) {
    // The engine names one of these.
    const known = field as 'name' | 'email' | 'phone' | 'language'
    contact[known] = value
    return
  }
  const { [key]: _, ...others } = contact.fields
  // A key such as __proto__ would otherwise change the object itself.
  const given = value === null ? [] : [[key, value] as const]
  contact.fields = Object.fromEntries([...Object.entries(others), ...given])
}
