// What the AI agent changes beside its words: fields and tags that an admin opened to it, and flows that it may start.
import type { AiEffect } from '../ai/think.ts'
import { mayStart } from './guards.ts'
import type { Stage } from './place.ts'
import { startRun } from './plan-sprint.ts'

/** Each says so in the thread. A flow has the word from then on. */
export const takeAiEffects = async (stage: Stage, effects: readonly AiEffect[]): Promise<void> => {
  for (const effect of effects) {
    if (effect.is === 'field') setField(stage, effect)
    else if (effect.is === 'tags') setTags(stage, effect)
    else if (effect.is === 'flow') await startFlow(stage, effect.flowId)
  }
}

const say = ({ place }: Stage, says: string): void => {
  place.acts.push({ is: 'line', run: null, says: `AI agent: ${says}`, steps: 0 })
}

const setField = (stage: Stage, { field, value }: Extract<AiEffect, { is: 'field' }>): void => {
  const { acts, contact } = stage.place
  contact.fields = Object.fromEntries([...Object.entries(contact.fields), [field, value]])
  acts.push({ is: 'field', run: null, field: `fields.${field}`, value })
  say(stage, `filled in ${field}`)
}

const setTags = (stage: Stage, { add, remove }: Extract<AiEffect, { is: 'tags' }>): void => {
  const { world, place } = stage
  const before = place.contact.tags.map(({ id }) => id)
  const tagIds = [...new Set([...before.filter((id) => !remove.includes(id)), ...add])].filter(
    // Deleted meanwhile.
    (id) => !world.excluded.has(`tag ${id}`),
  )
  if (tagIds.length === before.length && tagIds.every((id) => before.includes(id))) return
  // Names are of no use from here on; what is next changed starts from these.
  place.contact.tags = tagIds.map((id) => place.contact.tags.find((tag) => tag.id === id) ?? { id, name: id })
  place.acts.push({ is: 'tags', run: null, tagIds })
  say(stage, 'changed the contact’s tags')
}

const startFlow = async (stage: Stage, flowId: string): Promise<void> => {
  const { world, place } = stage
  const flow = world.live.flows.get(flowId)
  if (!flow || !mayStart(place.state.guards, flowId, world.now)) return
  await startRun(stage, {
    flow,
    cause: { on: 'ai', by: 'automation', trigger: null, messageId: null, passedOver: [], chain: 1 },
    parentRunId: null,
    isTest: false,
    input: { type: 'started', message: null, variables: {}, depth: 0, choice: null },
  })
}
