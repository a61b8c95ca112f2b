// What the simulator shows is what the server does: random flows, played by both, come to the same state, log, messages
// and changes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Effect, RunState } from '../../../flow-engine/contract.ts'
import { findStep } from '../../../flow-engine/definition-index.ts'
import { handOverText } from '../../../flow-engine/hand-over-text.ts'
import type { FlowDefinition } from '../../../flow-engine/schema.ts'
import { type Move, playMove, type Simulation, startSimulation } from '../../../flow-engine/simulate.ts'
import { arbitraryFlow } from '../../../flow-engine/testing/arbitrary-flow.ts'
import { makeEnv, NOW, OFFICE_HOURS } from '../../../flow-engine/testing/make-env.ts'
import { startApp } from '../../../test/app.ts'
import { makeFlow } from '../../../test/make-flow.ts'
import { inTransaction } from '../../platform/ctx/ctx.ts'
import { addInputs } from '../automation/inputs.ts'
import { MESSAGE_BODY_MAX } from '../conversations/schema.ts'
import { readableBody } from '../messages/choices.ts'
import { randomOf } from './plan-sprint.ts'
import { flowOf, startConducting } from './testing/conducted.ts'

/** FLOW_RUNS=1000 is the soak. */
const RUNS = Number(process.env.FLOW_RUNS ?? 60)

const app = await startApp()
const { clock, ctxOf, db, make } = app
const { conductor, place } = startConducting(app)

const CALLS = [{ action: 'action1', answer: { status: 200, body: { status: 'sent' } } }]

type Step =
  | { is: 'say'; text: string }
  | { is: 'tap'; option: number }
  | { is: 'wait'; for: 'PT30S' | 'PT10M' | 'PT1H' }

const DURATIONS = { PT30S: 30_000, PT10M: 600_000, PT1H: 3_600_000 }

const text = fc.oneof(
  fc.constantFrom('1', '2.', '②', 'yes', 'nein', 'maria@example.org', '+49 170 1234567', '42', '31.02.2027'),
  fc.constantFrom('tomorrow', 'talk to a human', '{{contact.email}}', '__proto__', '1 and 2'),
  // What no database stores can't be said either.
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).filter((one) => !one.includes('\0')),
)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: text.map((one) => ({ is: 'say' as const, text: one })) },
  { weight: 3, arbitrary: fc.nat(3).map((option) => ({ is: 'tap' as const, option })) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(...(['PT30S', 'PT10M', 'PT1H'] as const))
      .map((one) => ({ is: 'wait' as const, for: one })),
  },
)

/** Everything that the random flows refer to, under the ids that they use. */
const makeWorld = async (definition: FlowDefinition) => {
  const own = await place({ name: 'Maria Silva' })
  const { workspaceId } = own
  const base = { workspace_id: workspaceId, created_at: clock.now() }
  await db.updateTable('workspaces').set({ name: 'Foyer' }).where('id', '=', workspaceId).execute()
  await db
    .insertInto('tags')
    .values({ ...base, id: 'tag1', name: 'VIP', name_key: 'vip', color: '#ffffff' })
    .execute()
  await db
    .insertInto('teams')
    .values({ ...base, id: 'team1', name: 'Support', name_key: 'support', color: '#ffffff' })
    .execute()
  for (const account_id of ['agent1', 'agent2'])
    await db
      .insertInto('memberships')
      .values({ ...base, account_id, role: 'agent' })
      .execute()
  await make.enableAi(workspaceId)
  const { id, name, timeZone, weekly } = OFFICE_HOURS
  await db
    .insertInto('business_hours')
    .values({
      ...base,
      id,
      name,
      name_key: name,
      time_zone: timeZone,
      weekly: JSON.stringify(weekly),
      exceptions: '[]',
      is_default: true,
    })
    .execute()
  await db
    .insertInto('actions')
    .values({
      ...base,
      id: 'action1',
      name: 'Order',
      name_key: 'order',
      method: 'GET',
      url: 'https://example.com/',
      parameters: '[]',
      keep: '[]',
      timeout_ms: 1_000,
      is_repeatable: true,
      risk: 'read',
      needs: 'none',
      confirm: 'none',
    } as never)
    .execute()
  // A part that ends at once, of the kind that may be a part of it.
  const part = flowOf([{ type: 'goto', to: 'end' }], { kind: definition.kind, triggers: [] })
  const { id: partId } = await makeFlow(app, workspaceId, { definition: part, position: 9 })
  return { ...own, partId }
}

const optionOf = (definition: FlowDefinition, state: RunState | null, at: number) => {
  const found = state?.wait?.for === 'reply' ? findStep(definition, state.wait.stepId)?.step : undefined
  if (found?.type !== 'ask') return undefined
  if (found.answer === 'yesno')
    return [
      { id: 'yes', number: 1 },
      { id: 'no', number: 2 },
    ][at % 2]
  const option = found.options?.[at % (found.options.length || 1)]
  return option && { id: option.id, number: (at % found.options!.length) + 1 }
}

/** Without what only one of the two can know. */
const withoutIds = (state: RunState | null): string =>
  JSON.stringify(state && { ...state, message: state.message && { ...state.message, id: '' } })

/** What the customer reads, of an effect. */
const spoken = (effect: Effect): { body: string; choices: unknown }[] => {
  if (effect.type === 'send') {
    const { text, choices, stepId } = effect
    const offered = choices && { ...choices, runId: '', stepId }
    return [{ body: offered ? readableBody(text, offered) : text, choices }]
  }
  if (effect.type !== 'handOver' || effect.isSilent) return []
  return [{ body: effect.text ?? handOverText(effect.language), choices: null }]
}

await db
  .insertInto('accounts')
  .values(
    ['agent1', 'agent2'].map((id, index) => ({
      id,
      email: `${id}@example.com`,
      nickname: id,
      nickname_key: id,
      created_at: new Date(NOW),
      // Online at all times.
      last_seen_at: index === 0 ? '2100-01-01T00:00:00Z' : null,
    })),
  )
  .execute()

const play = async (random: FlowDefinition, steps: readonly Step[]): Promise<'played' | 'limited'> => {
  let now = NOW
  clock.now = () => new Date(now)
  const world = await makeWorld(random)
  const { workspaceId, partId } = world
  // Once for each contact: a background flow would start again with each message.
  const definition = JSON.parse(
    JSON.stringify({ ...random, reentry: 'once' }).replaceAll('"flow2"', `"${partId}"`),
  ) as FlowDefinition
  const flow = await world.flow(definition)
  const { contactId, conversationId } = await world.writes('Hello')
  await db
    .updateTable('contacts')
    .set({
      email: 'maria@example.org',
      phone: '+491701234567',
      country_iso: 'DE',
      custom_fields: JSON.stringify({ language: 'en' }),
    })
    .where('id', '=', contactId)
    .execute()
  await conductor.conductDue()
  const runOf = async () =>
    (await world.runs()).find(({ flow_id }) => flow_id === flow.id) ?? assert.fail('the flow did not start')
  const run = await runOf()
  const env = makeEnv({
    random: randomOf(run.id),
    contact: { id: contactId, fields: { language: 'en' } },
    conversation: { id: conversationId },
    sending: { bodyMax: MESSAGE_BODY_MAX },
    existing: { flowIds: [partId] },
  })
  let simulation: Simulation = startSimulation(env, { name: 'Random', turns: [{ say: 'Hello' }] })
  const effects: Effect[] = []
  const log: Simulation['log'] = []
  const move = (one: Move) => {
    simulation = playMove(definition, simulation, one, { calls: CALLS })
    effects.push(...simulation.effects)
    log.push(...simulation.log)
  }
  const simulate = (one: Move) => {
    move(one)
    for (let wait = simulation.state?.wait; wait; wait = simulation.state?.wait)
      // The server has no AI agent for a flow, and wakes at once what is due at once.
      if (wait.for === 'ai') move({ ai: 'gaveUp' })
      else if (wait.until !== null && wait.until <= simulation.env.now) move({ wait: 'PT0S' })
      else break
  }
  const finishCalls = async () => {
    for (let wait = (await runOf()).state?.wait; wait?.for === 'call'; wait = (await runOf()).state?.wait) {
      const { token } = wait
      const data = { token, outcome: 'done' as const, kept: { status: 'sent' } }
      await inTransaction(ctxOf(workspaceId), (ctx) =>
        addInputs(ctx, [{ kind: 'call', conversationId, runId: run.id, data }]),
      )
      await conductor.conductDue()
    }
  }
  simulate({ say: 'Hello' })
  await finishCalls()
  const compare = async (): Promise<boolean> => {
    const stored = await runOf()
    if (stored.end_reason === 'limit_reached' || stored.end_reason === 'looks_automated') return false
    assert.equal(withoutIds(stored.state), withoutIds(simulation.state))
    return true
  }
  for (const one of steps) {
    if (!(await compare())) return 'limited'
    if (simulation.state?.status !== 'running') break
    if (one.is === 'wait') {
      const end = now + DURATIONS[one.for]
      simulate({ wait: one.for })
      for (
        let next = (await runOf()).wakes_at;
        next && Date.parse(next) <= end;
        next = (await runOf()).wakes_at
      ) {
        now = Math.max(now, Date.parse(next))
        await conductor.conductDue()
        await finishCalls()
      }
      now = end
      continue
    }
    const option = one.is === 'tap' ? optionOf(definition, simulation.state, one.option) : undefined
    if (one.is === 'tap' && !option) continue
    now += 1_000
    if (one.is === 'say') {
      simulate({ say: one.text })
      await world.says(one.text)
    } else {
      const { stepId } = simulation.state.wait!
      simulate({ tap: option!.id })
      await world.tapsOn(simulation.state.message?.text ?? '', {
        runId: run.id,
        stepId,
        number: option!.number,
      })
    }
    await finishCalls()
  }
  if (!(await compare())) return 'limited'
  await compareOutcome(world, run.id, { simulation, effects, log })
  return 'played'
}

type Played = { simulation: Simulation; effects: Effect[]; log: Simulation['log'] }

const compareOutcome = async (
  world: Awaited<ReturnType<typeof makeWorld>>,
  runId: string,
  { simulation, effects, log }: Played,
): Promise<void> => {
  const { env } = simulation
  const steps = await db
    .selectFrom('flow_run_steps')
    .select(['step_id as stepId', 'type', 'outcome', 'detail'])
    .where('run_id', '=', runId)
    .orderBy('seq')
    .execute()
  assert.deepEqual(steps, log)
  const sent = (await world.messages()).filter(
    ({ metadata }) => (metadata?.flow as { runId?: string } | undefined)?.runId === runId,
  )
  assert.deepEqual(
    sent.map(({ body, metadata }) => {
      if (!metadata?.choices) return { body, choices: null }
      const { runId: _, stepId: __, text: ___, ...choices } = metadata.choices as Record<string, unknown>
      return { body, choices }
    }),
    effects.flatMap(spoken),
  )
  const contact = await db
    .selectFrom('contacts')
    .select(['name', 'custom_fields'])
    .where('id', '=', env.contact.id)
    .executeTakeFirstOrThrow()
  assert.equal(contact.name, env.contact.name)
  const { language: _, ...fields } = contact.custom_fields
  const { language: __, ...expected } = env.contact.fields
  assert.deepEqual(fields, expected)
  const tags = await db
    .selectFrom('contact_tags')
    .select('tag_id')
    .where('contact_id', '=', env.contact.id)
    .execute()
  assert.deepEqual(
    tags.map(({ tag_id }) => tag_id),
    env.contact.tags.map(({ id }) => id),
  )
  const notes = await db
    .selectFrom('notes')
    .select('body')
    .where('contact_id', '=', env.contact.id)
    .orderBy('id')
    .execute()
  const own = effects.flatMap((effect) => (effect.type === 'note' ? [effect.text] : []))
  assert.deepEqual(
    notes.map(({ body }) => body).filter((body) => own.includes(body)),
    own,
  )
}

/** It goes round without a wait, until its own limit: nothing collects without a model. */
const CIRCLE: FlowDefinition = {
  schema: 1,
  kind: 'dialog',
  language: 'en',
  triggers: [{ on: 'message' }],
  variables: { topic: { type: 'text', isPrivate: false } },
  start: 'b0',
  blocks: {
    b0: {
      steps: [
        { id: 's1', type: 'flow', flowId: 'flow2', as: 'part' },
        { id: 's2', type: 'ai', goal: 'Learn the topic', collect: ['topic'], onDone: 'end', onGiveUp: 'b0' },
      ],
    },
  },
}

test(`${RUNS} random flows do on the server what the simulator shows`, async () => {
  let played = 0
  await fc.assert(
    fc.asyncProperty(arbitraryFlow, fc.array(step, { maxLength: 4 }), async (flow, steps) => {
      if ((await play(flow, steps)) === 'played') played++
    }),
    {
      numRuns: RUNS,
      endOnFailure: true,
      examples: [[CIRCLE, []]],
      ...(process.env.FLOW_SEED && { seed: Number(process.env.FLOW_SEED) }),
    },
  )
  assert.ok(played > RUNS * 0.8, `${played} of ${RUNS} were played to their end`)
})
