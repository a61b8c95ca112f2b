// What an author is told before publishing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkDefinition } from './check-definition.ts'
import { lintDefinition } from './lint.ts'
import type { ChannelFacts, LintFacts, OtherFlow } from './lint-contract.ts'
import type { ProblemCode } from './problems.ts'
import type { FlowDefinition, Step } from './schema.ts'
import { countSegments } from './sms-segments.ts'
import { EVERY_STEP } from './testing/every-step.ts'
import { makeFlow } from './testing/run-flow.ts'

const WHATSAPP: ChannelFacts = {
  name: 'whatsapp',
  bodyMax: 1_024,
  replyWindowHours: 24,
  choices: {
    buttons: { max: 3, titleMax: 20, textMax: 1_024 },
    list: { rowsMax: 10, titleMax: 24, descriptionMax: 72, labelMax: 20, textMax: 4_096 },
    hasUniqueTitles: true,
  },
  isSms: false,
}
const MESSENGER: ChannelFacts = {
  name: 'facebook',
  bodyMax: 2_000,
  replyWindowHours: 24,
  choices: { buttons: { max: 13, titleMax: 20, textMax: 2_000 } },
  isSms: false,
}
const SMS: ChannelFacts = { name: 'sms', bodyMax: 1_600, replyWindowHours: null, choices: null, isSms: true }

const FACTS: LintFacts = {
  flow: { id: 'own', position: 5 },
  tagIds: ['tag1', 'tag2'],
  agentIds: ['agent1', 'agent2'],
  teamIds: ['team1'],
  actionIds: ['action1'],
  hoursIds: ['hours1'],
  hasDefaultHours: true,
  attachmentIds: ['file1'],
  accountIds: [],
  templates: [{ name: 'order_status', language: 'en' }],
  channels: [WHATSAPP],
  others: [],
  languages: ['en'],
}

const lint = (definition: FlowDefinition, facts: Partial<LintFacts> = {}) => {
  const checked = checkDefinition(definition)
  assert.ok(checked.ok, JSON.stringify(checked))
  return lintDefinition(definition, { ...FACTS, ...facts })
}

/** The problem with that code: severity, step and message. */
const find = (
  code: ProblemCode,
  definition: FlowDefinition,
  facts: Partial<LintFacts> = {},
): string | undefined => {
  const problem = lint(definition, facts).find((one) => one.code === code)
  return problem && `${problem.severity} ${problem.stepId}: ${problem.message}`
}

type Ask = Extract<Step, { type: 'ask' }>
const ask = (more: Partial<Ask> = {}): Ask => ({
  id: 's1',
  type: 'ask',
  answer: 'text',
  text: 'What?',
  retry: { then: 'people' },
  timeout: { after: 'PT1H', then: 'end' },
  ...more,
})
const choice = (...titles: string[]): FlowDefinition =>
  makeFlow([ask({ answer: 'choice', options: titles.map((title, at) => ({ id: `o${at}`, title })) })])
const say = (id: string, text = 'Hello'): Step => ({ id, type: 'send', text })

test('a flow in order has nothing said about it', () => {
  const other = {
    id: 'flow2',
    name: 'Other',
    isLive: true,
    position: 1,
    definition: makeFlow([say('s1')], { triggers: [] }),
  }
  assert.deepEqual(lint(EVERY_STEP, { others: [other], languages: [] }), [])
})

test('blocks and steps that are never reached, and blocks that just stop, are named', () => {
  const unreached = makeFlow({
    main: { steps: [say('s1')], next: 'end' },
    lost: { steps: [say('s2')], next: 'end' },
  })
  assert.match(find('unreachable_block', unreached)!, /^warning null: Block “lost” is never reached/)
  const behind = makeFlow([{ id: 's1', type: 'goto', to: 'end' }, say('s2')])
  assert.match(find('unreachable_step', behind)!, /^warning s2: Step s2: never reached, because step s1/)
  assert.match(
    find('no_end', makeFlow({ main: { steps: [say('s1')] } }))!,
    /^warning s1: Block “main” stops after step s1/,
  )
  assert.equal(find('no_end', makeFlow({ main: { steps: [{ id: 's1', type: 'people' }] } })), undefined)
})

test('a question without a way out is named', () => {
  assert.match(find('no_way_out', makeFlow([ask({ retry: undefined })]))!, /aren’t understood/)
  assert.match(find('no_way_out', makeFlow([ask({ timeout: undefined })]))!, /don’t reply/)
  assert.equal(find('no_way_out', makeFlow([ask()])), undefined)
})

test('a message that may come after the reply window needs a template', () => {
  const late = (wait: string, more: Partial<Extract<Step, { type: 'send' }>> = {}) =>
    makeFlow([
      { id: 's1', type: 'wait', for: wait },
      { id: 's2', type: 'send', text: 'Hello', ...more },
    ])
  assert.match(find('window_may_close', late('PT23H1S'))!, /^error s2: .*whatsapp’s reply window/)
  assert.equal(find('window_may_close', late('PT23H')), undefined)
  const template = { name: 'order_status', language: 'en' }
  assert.equal(find('window_may_close', late('P2D', { ifWindowClosed: template })), undefined)
  assert.equal(find('window_may_close', late('P2D'), { channels: [SMS] }), undefined)
  const answered = makeFlow([
    { id: 's1', type: 'wait', for: 'PT20H' },
    ask({ id: 's3' }),
    { id: 's4', type: 'wait', for: 'PT20H' },
    say('s2'),
  ])
  assert.equal(find('window_may_close', answered), undefined)
  const timedOut = makeFlow({
    main: { steps: [ask({ timeout: { after: 'P1D', then: 'late' } })], next: 'end' },
    late: { steps: [say('s2')], next: 'end' },
  })
  assert.match(find('window_may_close', timedOut)!, /^error s2/)
  const round = makeFlow({
    main: { steps: [{ id: 's1', type: 'wait', for: 'PT1M' }, say('s2')], next: 'main' },
  })
  assert.match(find('window_may_close', round)!, /^error s2/)
})

test('options that a channel shows as numbered text are named with the reason', () => {
  const why = (definition: FlowDefinition, channel = WHATSAPP) =>
    find('shown_as_text', definition, { channels: [channel] })
  assert.equal(why(choice('x'.repeat(24), 'b')), undefined)
  assert.equal(
    why(choice('A title of twenty-five !!', 'b')),
    'warning s1: Step s1: whatsapp shows the options as numbered text, because “A title of twenty-five !!” is longer than 24 characters.',
  )
  const many = (count: number) => choice(...Array.from({ length: count }, (_, at) => `Option ${at}`))
  assert.equal(why(many(30)), undefined)
  assert.equal(why(many(13), MESSENGER), undefined)
  assert.match(why(many(14), MESSENGER)!, /because there are more than 13\.$/)
  assert.match(why(choice('x'.repeat(21), 'b'), MESSENGER)!, /is longer than 20 characters\.$/)
  const german = makeFlow([
    ask({
      answer: 'choice',
      options: [{ id: 'a', title: { en: 'Short', de: 'Ein Titel, der hier nicht passt' } }],
    }),
  ])
  assert.match(why(german)!, /“Ein Titel, der hier nicht passt”/)
  assert.equal(find('shown_as_text', many(30), { channels: [SMS] }), undefined)
})

test('options that are shown alike are an error, whatever the channel', () => {
  assert.match(find('doubled_title', choice('Red', 'red!'))!, /^error s1: .*both shown as “red”/)
  assert.equal(find('doubled_title', choice('👍', '👎')), undefined)
})

test('a question that is too long with its options is an error where the options are text', () => {
  const long = makeFlow([
    ask({
      answer: 'choice',
      text: 'x'.repeat(1_590),
      options: [
        { id: 'a', title: 'Red' },
        { id: 'b', title: 'Blue' },
      ],
    }),
  ])
  assert.match(find('long_text', long, { channels: [SMS] })!, /^error s1: .*1606 characters.*allows 1600/)
  assert.equal(find('long_text', long, { channels: [MESSENGER] }), undefined)
})

test('missing translations are named by language', () => {
  const flow = makeFlow([{ id: 's1', type: 'send', text: { en: 'Hello', 'pt-BR': 'Olá' } }])
  assert.match(
    find('missing_translation', flow, { languages: ['en', 'de', 'pt', 'fr'] })!,
    /^warning s1: .*no text in de, fr\.$/,
  )
  assert.equal(find('missing_translation', makeFlow([say('s1')]), { languages: ['de'] }), undefined)
})

test('everything that was deleted is named with its step', () => {
  const gone: Partial<LintFacts> = {
    tagIds: [],
    agentIds: [],
    actionIds: [],
    hoursIds: [],
    attachmentIds: [],
    templates: [],
  }
  const steps = lint(EVERY_STEP, gone).filter(({ code }) => code === 'deleted_reference')
  assert.deepEqual(
    [...new Set(steps.map(({ stepId }) => stepId))],
    [null, 's1', 's4', 's5', 's7', 's11', 's12', 's14'],
  )
  assert.ok(steps.every(({ severity }) => severity === 'error'))
  const moved = makeFlow([
    { id: 's1', type: 'assign', to: 'nobody', teamId: 'team1' },
    { id: 's2', type: 'people', assign: 'agent1', teamId: 'team2' },
  ])
  assert.match(find('deleted_reference', moved)!, /^error s2: .*the team “team2” no longer exists/)
  const opening = makeFlow([{ id: 's1', type: 'wait', for: 'PT1H', until: 'opening' }])
  assert.match(
    find('deleted_reference', opening, { hasDefaultHours: false })!,
    /^error s1: .*no business hours yet/,
  )
})

test('a value that is read before it is surely set is named', () => {
  const branch = (store: string): FlowDefinition =>
    makeFlow({
      main: {
        steps: [
          {
            id: 's1',
            type: 'branch',
            paths: [{ when: { value: 'contact.name', op: 'isSet' }, goto: 'asks' }],
            else: 'tells',
          },
        ],
      },
      asks: { steps: [ask({ id: 's2', store })], next: 'tells' },
      tells: { steps: [say('s3', '{{run.topic}}')], next: 'end' },
    })
  assert.match(
    find('read_before_set', branch('run.topic'))!,
    /^warning s3: .*“run\.topic”, which may not be set yet\. Save a reply as “topic” first/,
  )
  const straight = makeFlow([ask({ store: 'run.topic' }), say('s3', '{{run.topic|upper}}')])
  assert.equal(find('read_before_set', straight), undefined)
  assert.match(find('read_before_set', makeFlow([say('s1', '{{call.order.status}}')]))!, /call\.order/)
  const given = { ...branch('run.x'), variables: { topic: { type: 'text' as const, default: 'none' } } }
  assert.equal(find('read_before_set', given), undefined)
})

const other = (
  more: Partial<OtherFlow> & { steps?: Step[]; triggers?: FlowDefinition['triggers'] },
): OtherFlow => ({
  id: 'other',
  name: 'Other',
  isLive: true,
  position: 1,
  definition: makeFlow(more.steps ?? [say('s1')], { triggers: more.triggers ?? [{ on: 'message' }] }),
  ...more,
})

test('a flow whose trigger an earlier one always takes is told so', () => {
  const flow = makeFlow([say('s1')], { triggers: [{ on: 'message', words: ['menu'], channels: ['web'] }] })
  assert.match(
    find('never_starts', flow, { others: [other({})] })!,
    /^warning null: Trigger 1: “Other” comes first/,
  )
  const narrower: Partial<OtherFlow>[] = [
    { position: 9 },
    { isLive: false },
    { definition: makeFlow([say('s1')], { triggers: [{ on: 'message', channels: ['sms'] }] }) },
    { definition: makeFlow([say('s1')], { triggers: [{ on: 'message', words: ['help'] }] }) },
    { definition: makeFlow([say('s1')], { triggers: [{ on: 'message', isFirst: true }] }) },
    { definition: makeFlow([say('s1')], { audience: { value: 'contact.name', op: 'isSet' } }) },
    { definition: makeFlow([say('s1')], { reentry: 'once' }) },
    { definition: makeFlow([{ id: 's1', type: 'close' }], { kind: 'background' }) },
  ]
  for (const more of narrower)
    assert.equal(find('never_starts', flow, { others: [other(more)] }), undefined, JSON.stringify(more))
})

test('flows that call each other in a circle, or too deep, are refused', () => {
  const call = (flowId: string): Step => ({ id: 's1', type: 'flow', flowId, as: 'part' })
  const calls = (id: string, to: string) => other({ id, name: id, triggers: [], steps: [call(to)] })
  const flow = makeFlow([call('a')])
  assert.match(
    find('flow_circle', flow, { others: [calls('a', 'b'), calls('b', 'own')] })!,
    /^error s1: .*“a” \(step s1\) → “b” \(step s1\)/,
  )
  assert.match(find('flow_circle', flow, { others: [calls('a', 'b'), calls('b', 'a')] })!, /circle/)
  assert.match(find('flow_circle', makeFlow([call('own')]))!, /itself/)
  const chain = (length: number) =>
    [...Array(length).keys()].map((at) =>
      at === length - 1 ? other({ id: `c${at}`, triggers: [] }) : calls(`c${at}`, `c${at + 1}`),
    )
  assert.equal(find('flow_too_deep', makeFlow([call('c0')]), { others: chain(5) }), undefined)
  assert.match(
    find('flow_too_deep', makeFlow([call('c0')]), { others: chain(6) })!,
    /^error s1: .*6 flows deep/,
  )
})

test('flows may go back to each other after a question or a wait; without one, the steps are named', () => {
  const instead = (id: string, flowId: string): Step => ({ id, type: 'flow', flowId, as: 'instead' })
  const asks: Step = { id: 's1', type: 'ask', answer: 'text', text: 'Which?' }
  const back = other({ id: 'b', name: 'Orders', triggers: [], steps: [say('s1'), instead('s2', 'own')] })
  const asking = other({ id: 'b', name: 'Orders', triggers: [], steps: [asks, instead('s2', 'own')] })
  const menu = makeFlow([say('s1'), instead('s7', 'b')])
  assert.match(
    find('flow_circle', menu, { others: [back] })!,
    /^error s7: .*this flow → “Orders” \(step s2\)\. Add a question or a wait/,
  )
  assert.equal(find('flow_circle', menu, { others: [asking] }), undefined)
  assert.equal(find('flow_circle', makeFlow([asks, instead('s7', 'b')]), { others: [back] }), undefined)
  // A question that may be skipped is no wait, and a part comes back however long it waits.
  const skipped = { ...asks, skipIf: { value: 'contact.name', op: 'isSet' } } as Step
  assert.match(find('flow_circle', makeFlow([skipped, instead('s7', 'b')]), { others: [back] })!, /circle/)
  const part: Step = { id: 's7', type: 'flow', flowId: 'b', as: 'part' }
  assert.match(find('flow_circle', makeFlow([asks, part]), { others: [back] })!, /circle/)
})

test('private values in a note, long texts and many text messages are named', () => {
  const note = makeFlow([{ id: 's1', type: 'note', text: 'PIN {{run.pin}}' }], {
    variables: { pin: { type: 'text', isPrivate: true, default: '' } },
  })
  assert.match(find('private_in_note', note)!, /^warning s1: .*run\.pin is private/)
  assert.match(find('long_text', makeFlow([say('s1', 'x'.repeat(1_025))]))!, /1025 characters/)
  assert.match(
    find('long_text', makeFlow([say('s1', 'x'.repeat(460))]), { channels: [SMS] })!,
    /4 text messages/,
  )
  assert.deepEqual(
    ['', 'x'.repeat(160), 'x'.repeat(161), '€'.repeat(81), 'ж'.repeat(70), 'ж'.repeat(71)].map(countSegments),
    [0, 1, 2, 2, 1, 2],
  )
})
