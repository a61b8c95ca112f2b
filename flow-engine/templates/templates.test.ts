// The ready flows are what many teams start with, so each is held to what a published flow is held to, and more.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Check } from 'typebox/value'
import { layChoices } from '../../channels/choices.ts'
import { DEFINITIONS } from '../../channels/definitions.ts'
import { builtInText } from '../built-in-texts.ts'
import { checkDefinition } from '../check-definition.ts'
import type { FlowChannel } from '../contract.ts'
import { listSteps } from '../definition-index.ts'
import { chooseText } from '../language.ts'
import { lintDefinition } from '../lint.ts'
import { channelsOf } from '../lint-channels.ts'
import type { ChannelFacts, LintFacts } from '../lint-contract.ts'
import { referencesOf } from '../references.ts'
import { runScenario } from '../run-scenario.ts'
import { Scenario } from '../scenario.ts'
import { FLOW_CHANNELS, type LocalizedText } from '../schema.ts'
import { textsOf } from '../step-parts.ts'
import { makeEnv } from '../testing/make-env.ts'
import { prepareTriggers } from '../triggers.ts'
import { type FlowTemplate, fillTemplate, TEMPLATE_LANGUAGES } from './template.ts'
import { TEMPLATES } from './templates.ts'

const BODY_MAX: Partial<Record<FlowChannel, number>> = { sms: 1_600, facebook: 2_000 }
const CHANNELS: ChannelFacts[] = FLOW_CHANNELS.map((name) => ({
  name,
  bodyMax: BODY_MAX[name] ?? 4_000,
  replyWindowHours: name === 'whatsapp' || name === 'facebook' ? 24 : null,
  choices: DEFINITIONS[name].choices,
  isSms: name === 'sms',
}))

const idsOf = ({ needs }: FlowTemplate, kind: FlowTemplate['needs'][number]['kind']): string[] =>
  needs.filter((need) => need.kind === kind).map(({ id }) => id)

const factsOf = (template: FlowTemplate): LintFacts => ({
  flow: { id: null, position: 1 },
  tagIds: idsOf(template, 'tag'),
  agentIds: idsOf(template, 'agent'),
  teamIds: [],
  actionIds: idsOf(template, 'action'),
  hoursIds: [],
  hasDefaultHours: true,
  attachmentIds: [],
  accountIds: [],
  templates: [],
  channels: CHANNELS,
  others: [],
  languages: TEMPLATE_LANGUAGES,
})

const worldOf = (template: FlowTemplate) =>
  makeEnv({
    existing: {
      tags: template.needs.flatMap(({ kind, id, name }) => (kind === 'tag' ? [{ id, name }] : [])),
      agents: idsOf(template, 'agent').map((id) => ({ id, isOnline: true })),
      actionIds: idsOf(template, 'action'),
    },
  })

test('there are twelve, each with a name of its own', () => {
  assert.equal(TEMPLATES.length, 12)
  assert.equal(new Set(TEMPLATES.map(({ id }) => id)).size, 12)
  assert.equal(new Set(TEMPLATES.map(({ name }) => name)).size, 12)
})

for (const template of TEMPLATES) {
  const { name, definition, tests } = template

  test(`${name}: is accepted, and nothing is said against it on any channel or in any language`, () => {
    const checked = checkDefinition(definition)
    assert.ok(checked.ok, JSON.stringify(checked))
    assert.deepEqual(lintDefinition(definition, factsOf(template)), [])
  })

  test(`${name}: every text for customers is there in five languages`, () => {
    for (const { step } of listSteps(definition))
      for (const { text, isForTeam } of textsOf(step))
        if (!isForTeam)
          assert.deepEqual(typeof text === 'string' ? text : Object.keys(text), [...TEMPLATE_LANGUAGES])
  })

  test(`${name}: its options are buttons or a list wherever there are any`, () => {
    for (const { step } of listSteps(definition))
      for (const language of TEMPLATE_LANGUAGES)
        for (const { name: channel, choices } of channelsOf(definition, CHANNELS)) {
          if (step.type !== 'ask' || !step.options || !choices) continue
          const inLanguage = (text: LocalizedText) => chooseText(text, language, 'en').text
          const options = step.options.map(({ title }) => ({ title: inLanguage(title) }))
          const label = builtInText('choose', language)
          const content = { text: inLanguage(step.text), label, options, more: '…' }
          assert.notEqual(layChoices(DEFINITIONS[channel].choices, content).as, 'text', step.id)
        }
  })

  test(`${name}: its needs are what it refers to`, () => {
    const referred = [...referencesOf(definition).map(({ id }) => id), ...tagsInConditions(definition)]
    assert.deepEqual(new Set(referred), new Set(template.needs.map(({ id }) => id)))
    assert.ok(template.beforePublishing.length > 0)
  })

  test(`${name}: both of its tests pass, and one isn’t in English`, () => {
    for (const scenario of tests) {
      assert.ok(Check(Scenario, scenario), scenario.name)
      const { failures } = runScenario(definition, scenario, worldOf(template), 24 * 3_600_000)
      assert.deepEqual(failures, [], scenario.name)
    }
    assert.ok(tests.some(({ language }) => language !== 'en'))
  })

  test(`${name}: says nothing wrong in any language, whatever is tapped`, () => {
    const world = worldOf(template)
    for (const scenario of tests)
      for (const language of TEMPLATE_LANGUAGES) {
        const turns = scenario.turns.filter((turn) => !('expect' in turn))
        const { turns: played } = runScenario(definition, { ...scenario, language, turns }, world)
        const sent = played.flatMap(({ effects }) =>
          effects.flatMap((effect) => (effect.type === 'send' ? [effect.text] : [])),
        )
        for (const text of sent) assert.doesNotMatch(text, /\{\{|\}\}|undefined|null| {2}|\s[,.]| $/, text)
      }
  })
}

/** Tags by which conditions ask for them; references don't count those. */
const tagsInConditions = (definition: FlowTemplate['definition']): string[] =>
  JSON.stringify(definition).match(/need:[a-z-]+/g) ?? []

test('a filled template has the workspace’s own ids everywhere, and what isn’t chosen stays open', () => {
  const routing = TEMPLATES.find(({ id }) => id === 'routing')!
  const { definition, tests } = fillTemplate(routing, { 'need:vip': 'tag1', 'need:german': 'agent1' })
  const text = JSON.stringify([definition, tests])
  assert.doesNotMatch(text, /need:(vip"|german)/)
  assert.match(text, /"hasTag","to":"tag1"/)
  assert.match(text, /need:spanish/)
  assert.ok(checkDefinition(definition).ok)
  assert.notEqual(definition, routing.definition)
})

test('the triggers of all of them can be prepared together', () => {
  const flows = TEMPLATES.map(({ id, definition }, position) => ({ id, position, definition }))
  assert.ok(prepareTriggers(flows).byEvent.size >= 5)
})
