// How runs go, step by step. What holds for every flow is in advance.properties.test.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { advance } from './advance.ts'
import type { Effect, Input } from './contract.ts'
import { DAY_MS, HOUR_MS } from './duration.ts'
import { END_REASONS } from './end-reasons.ts'
import type { Step } from './schema.ts'
import { makeEnv, makeMessage, NOW, says, started, taps } from './testing/make-env.ts'
import { makeFlow, playInputs, textsOf } from './testing/run-flow.ts'

const say = (id: string, text = id, more: Partial<Extract<Step, { type: 'send' }>> = {}): Step => ({
  id,
  type: 'send',
  text,
  ...more,
})
type Ask = Extract<Step, { type: 'ask' }>
const ask = (id: string, more: Partial<Ask> = {}): Ask => ({
  id,
  type: 'ask',
  answer: 'text',
  text: `${id}?`,
  ...more,
})
const menu = (more: Partial<Ask> = {}): Ask =>
  ask('s1', {
    answer: 'choice',
    store: 'run.topic',
    options: [
      { id: 'red', title: { en: 'Red', de: 'Rot' }, goto: 'red' },
      { id: 'blue', title: 'Blue', goto: 'blue' },
    ],
    ...more,
  })
const colours = (more: Partial<Ask> = {}) => ({
  main: { steps: [menu(more)] },
  red: { steps: [say('s2', 'You chose {{run.topic}}'), ask('s3')] },
  blue: { steps: [say('s4', 'Blue it is')], next: 'end' },
})
const kinds = (effects: readonly Effect[]) => effects.map(({ type }) => type)

test('a flow asks, stores the answer and goes where its option leads', () => {
  const [first, second] = playInputs(makeFlow(colours()), [started(), says('red')])
  assert.deepEqual(textsOf(first!.effects), ['s1?'])
  assert.deepEqual(first!.effects[0]!.type === 'send' && first!.effects[0]!.choices, {
    label: 'Choose',
    more: 'More…',
    options: [
      { id: 'red', number: 1, title: 'Red' },
      { id: 'blue', number: 2, title: 'Blue' },
    ],
  })
  assert.equal(first!.state.wait?.until, NOW + DAY_MS)
  assert.deepEqual(textsOf(second!.effects), ['You chose red', 's3?'])
  assert.equal(second!.state.variables.topic, 'red')
})

test('a reply that isn’t understood is asked about again with a way to a person, then people take over', () => {
  const flow = makeFlow(colours({ retry: { times: 1, text: 'Red or blue?' } }))
  const [, again, end] = playInputs(flow, [started(), says('green'), says('yellow')])
  assert.deepEqual(textsOf(again!.effects), ['Red or blue?'])
  const sent = again!.effects[0]!
  assert.deepEqual(sent.type === 'send' && sent.choices?.options.at(-1), {
    id: 'person',
    number: 0,
    title: 'Talk to a person',
  })
  assert.equal(end!.state.endReason, 'not_understood')
  assert.equal(end!.state.status, 'completed')
  assert.deepEqual(kinds(end!.effects), ['handOver'])
})

test('the author’s own way after too many replies is taken, and the wait keeps its first time', () => {
  const flow = makeFlow(colours({ retry: { times: 0, then: 'blue' } }))
  const [, end] = playInputs(flow, [started(), says('green')])
  assert.deepEqual(textsOf(end!.effects), ['Blue it is'])
  const patient = makeFlow(colours())
  const first = advance(patient, null, started(), makeEnv())
  const later = advance(patient, first.state, says('green'), makeEnv({ now: NOW + HOUR_MS }))
  assert.equal(later.state.wait?.until, NOW + DAY_MS)
  assert.deepEqual(textsOf(later.effects), ['Sorry, I didn’t understand that.\ns1?'])
})

test('a wish for a person hands over whatever waits, with what was asked and answered', () => {
  const secret = ask('s5', { store: 'run.secret' })
  const flow = makeFlow([ask('s4'), secret, { id: 's6', type: 'wait', for: 'PT1H' }], {
    variables: { secret: { type: 'text', isPrivate: true } },
  })
  const [, , third, end] = playInputs(flow, [
    started(),
    says('shoes'),
    says('hunter2'),
    says('let me talk to a human'),
  ])
  assert.equal(third!.state.wait?.for, 'time')
  const [effect] = end!.effects
  assert.ok(effect?.type === 'handOver')
  assert.equal(effect.reason, 'asked')
  assert.deepEqual(effect.collected, [{ question: 's4?', answer: 'shoes' }])
  assert.ok(!JSON.stringify([third!.log, end!.log, end!.effects]).includes('hunter2'))
  assert.equal(end!.state.endReason, 'asked_for_person')
})

test('a tap counts for the question that it belongs to', () => {
  const flow = makeFlow(colours())
  const [, tapped] = playInputs(flow, [started(), taps({ stepId: 's1', option: 1 })])
  assert.deepEqual(textsOf(tapped!.effects), ['You chose red', 's3?'])
  const [, forged] = playInputs(flow, [started(), taps({ stepId: 's9', option: 1 })])
  assert.equal(forged!.log[0]?.outcome, 'invalid')
})

test('an old button does what it said, twice the same is one, and a flow can explain or ignore it', () => {
  const inputs = [started(), says('red'), taps({ stepId: 's1', option: 2 })]
  const [, , jumped] = playInputs(makeFlow(colours()), inputs)
  assert.deepEqual(textsOf(jumped!.effects), ['Blue it is'])
  assert.equal(jumped!.state.variables.topic, 'blue')
  const [, , doubled] = playInputs(makeFlow(colours()), [
    started(),
    says('red'),
    taps({ stepId: 's1', option: 1 }),
  ])
  assert.equal(doubled!.isUsed, false)
  const [, , ignored] = playInputs(makeFlow(colours(), { oldChoices: 'ignore' }), inputs)
  assert.equal(ignored!.isUsed, false)
  const [, , explained] = playInputs(makeFlow(colours(), { oldChoices: 'explain' }), inputs)
  assert.deepEqual(textsOf(explained!.effects), ['We’ve already moved on from that question.\ns3?'])
  assert.equal(explained!.state.wait?.stepId, 's3')
})

test('a button of a run that has ended begins a new one with that answer', () => {
  const [run] = playInputs(makeFlow(colours()), [
    started({ choice: { stepId: 's1', option: 2 }, variables: { topic: 'x' } }),
  ])
  assert.deepEqual(textsOf(run!.effects), ['Blue it is'])
  assert.equal(run!.state.endReason, 'finished')
})

test('a question times out once, and a wake-up that is old or early does nothing', () => {
  const flow = makeFlow([ask('s1', { timeout: { after: 'PT1H', then: 'people' } })])
  const first = advance(flow, null, started(), makeEnv())
  const wake = (token: number, now: number) =>
    advance(flow, first.state, { type: 'woken', token }, makeEnv({ now }))
  assert.equal(wake(0, NOW + DAY_MS).isUsed, false)
  assert.equal(wake(1, NOW + HOUR_MS - 1).isUsed, false)
  const woken = wake(1, NOW + HOUR_MS)
  assert.equal(woken.state.endReason, 'handed_over')
  assert.equal(
    advance(flow, woken.state, { type: 'woken', token: 1 }, makeEnv({ now: NOW + DAY_MS })).isUsed,
    false,
  )
  const [silent] = playInputs(makeFlow([ask('s1')]), [started()])
  const end = advance(
    makeFlow([ask('s1')]),
    silent!.state,
    { type: 'woken', token: 1 },
    makeEnv({ now: NOW + DAY_MS }),
  )
  assert.deepEqual([end.state.status, end.state.endReason], ['cancelled', 'no_answer'])
})

test('a wait goes on after its time, at the opening, or with a reply as its author wants', () => {
  const wait = (more: object) => makeFlow([{ id: 's1', type: 'wait', for: 'P2D', ...more }, say('s2')])
  const night = makeEnv({ now: Date.UTC(2026, 10, 23, 20) })
  const opening = advance(wait({ until: 'opening' }), null, started(), night)
  assert.equal(opening.state.wait?.until, Date.UTC(2026, 10, 24, 8))
  assert.equal(advance(wait({ until: 'opening' }), null, started(), makeEnv()).state.status, 'completed')
  const reply = (more: object) => playInputs(wait(more), [started(), says('hi')])[1]!
  assert.deepEqual(textsOf(reply({ until: 'reply' }).effects), ['s2'])
  assert.equal(reply({}).isUsed, false)
  assert.equal(reply({ onReply: 'cancel' }).state.endReason, 'customer_replied')
})

test('a closed reply window sends the template, and without one the run ends and people get it', () => {
  const late = makeEnv({ sending: { windowClosesAt: NOW } })
  const template = { name: 'order_status', language: 'en', parameters: ['{{contact.firstName}}'] }
  const [sent] = playInputs(makeFlow([say('s1', 'Hello', { ifWindowClosed: template })]), [started()], late)
  assert.deepEqual(sent!.effects, [
    { stepId: 's1', type: 'sendTemplate', name: 'order_status', language: 'en', parameters: ['Maria'] },
  ])
  const [failed] = playInputs(makeFlow([say('s1')]), [started()], late)
  assert.equal(failed!.state.endReason, 'window_closed')
  assert.deepEqual(kinds(failed!.effects), ['handOver'])
  const [gone] = playInputs(
    makeFlow([say('s1', 'x', { ifWindowClosed: { ...template, name: 'old' } })]),
    [started()],
    late,
  )
  assert.equal(gone!.state.endReason, 'template_missing')
})

test('a step that can’t be done goes to its onFailed, or ends the run with the reason', () => {
  const cases: [Step, string, Parameters<typeof makeEnv>[0]?][] = [
    [say('s1'), 'opted_out', { sending: { refusal: 'opted_out' } }],
    [say('s1', '{{run.nothing}}\u200b'), 'empty_text'],
    [say('s1', 'x', { attachmentIds: ['gone'] }), 'attachment_missing'],
    [{ id: 's1', type: 'assign', to: 'gone' }, 'agent_missing'],
    [{ id: 's1', type: 'assign', to: { among: ['agent2'], onlineOnly: true } }, 'nobody_available'],
    [{ id: 's1', type: 'call', actionId: 'gone' }, 'action_missing'],
    [{ id: 's1', type: 'flow', flowId: 'gone', as: 'part' }, 'flow_missing'],
    [{ id: 's1', type: 'hours', open: 'end', closed: 'end' }, 'hours_missing', { hours: [] }],
    [menu({ options: [{ id: 'a', title: 'A', showIf: { value: 'run.x', op: 'isSet' } }] }), 'no_options'],
  ]
  for (const [step, reason, world] of cases) {
    const [failed] = playInputs(makeFlow([step]), [started()], makeEnv(world))
    assert.equal(failed!.state.endReason, reason)
    assert.deepEqual(kinds(failed!.effects), ['handOver'])
    const flow = makeFlow({
      main: { steps: [{ ...step, onFailed: 'other' }] },
      other: { steps: [{ id: 's9', type: 'close' }] },
    })
    const [passed] = playInputs(flow, [started()], makeEnv(world))
    assert.deepEqual(kinds(passed!.effects), ['close'], reason)
  }
})

test('deleted tags are passed over, and a note leaves out what is private', () => {
  const flow = makeFlow(
    [
      { id: 's1', type: 'tag', add: ['gone', 'tag1'] },
      {
        id: 's2',
        type: 'branch',
        paths: [{ when: { value: 'contact.tags', op: 'hasTag', to: 'VIP' }, goto: 'vip' }],
        else: 'end',
      },
    ],
    { variables: { pin: { type: 'text', default: '1234', isPrivate: true } } },
  )
  flow.blocks.vip = { steps: [{ id: 's3', type: 'note', text: 'A VIP with {{run.pin|a secret}}' }] }
  const [run] = playInputs(flow, [started()])
  assert.deepEqual(
    run!.effects.map((effect) => (effect.type === 'note' ? effect.text : effect.type)),
    ['tag', 'A VIP with a secret'],
  )
  assert.deepEqual(run!.log[0]?.detail, { missing: ['gone'] })
})

test('a step’s team has the conversation whoever gets it, and a team that is gone is passed over', () => {
  const others: Step[] = [
    { id: 's1', type: 'assign', to: 'agent1', teamId: 'team1' },
    { id: 's2', type: 'assign', to: 'nobody', teamId: 'gone' },
  ]
  const last: Step = { id: 's3', type: 'people', assign: 'gone', teamId: 'team1' }
  const [run] = playInputs(makeFlow([...others, last]), [started()])
  assert.deepEqual(
    run!.effects.map((effect) => [
      effect.type,
      effect.type === 'team' ? effect.teamId : effect.type === 'assign' ? effect.to : null,
    ]),
    [
      ['team', 'team1'],
      ['assign', 'agent1'],
      ['assign', 'nobody'],
      ['team', 'team1'],
      ['handOver', null],
    ],
  )
  assert.deepEqual(
    run!.log.slice(0, 3).map(({ detail }) => detail),
    [{ to: 'agent1' }, { to: 'nobody', missing: ['gone'] }, { missing: ['gone'] }],
  )
  const [gone] = playInputs(makeFlow([{ ...last, teamId: 'away' }]), [started()])
  assert.deepEqual(kinds(gone!.effects), ['handOver'])
  assert.deepEqual(gone!.log[0]?.detail, { missing: ['gone', 'away'] })
  assert.equal(gone!.state.endReason, 'handed_over')
  // Nobody of those who may have it is there: the team has it all the same.
  const absent = { among: ['agent2'], onlineOnly: true, else: 'end' }
  const [waits] = playInputs(makeFlow([{ id: 's1', type: 'assign', to: absent, teamId: 'team1' }]), [
    started(),
  ])
  assert.deepEqual(kinds(waits!.effects), ['team'])
})

test('values are set in their types, fields by effects, and the next step sees them', () => {
  const flow = makeFlow(
    [
      {
        id: 's1',
        type: 'set',
        set: [
          { to: 'run.amount', value: '１２' },
          { to: 'run.day', value: '2026-02-31' },
          { to: 'contact.fields.plan', from: 'run.amount' },
          { to: 'contact.fields.__proto__', value: 'x' },
          { to: 'contact.language', value: 'de' },
        ],
      },
      say('s2', '{{contact.fields.plan}}'),
      { id: 's3', type: 'send', text: { en: 'Bye', de: 'Tschüss' } },
    ],
    { variables: { amount: { type: 'number' }, day: { type: 'date', default: '2026-01-01' } } },
  )
  const [run] = playInputs(flow, [started({ variables: { amount: 1, other: 'x' } })])
  assert.deepEqual(run!.state.variables, { amount: 12, day: null })
  assert.deepEqual(textsOf(run!.effects), ['12', 'Tschüss'])
  assert.equal(({} as Record<string, unknown>).x, undefined)
})

test('a call brings its kept fields, and each outcome goes its way once', () => {
  const call: Step = {
    id: 's1',
    type: 'call',
    actionId: 'action1',
    with: { order: { from: 'run.order' }, kind: { value: 'a' } },
    keep: 'order',
    paths: { notFound: 'none' },
  }
  const flow = makeFlow(
    {
      main: { steps: [call, say('s2', 'It is {{call.order.status}}')], next: 'end' },
      none: { steps: [say('s3', 'Unknown')], next: 'end' },
    },
    { variables: { order: { type: 'text', default: 'AB-1' } } },
  )
  const finish = (
    outcome: 'done' | 'notFound' | 'refused' | 'failed' | 'unknown',
    kept: object = { status: 'on its way' },
  ) => playInputs(flow, [started(), { type: 'callFinished', token: 1, outcome, kept: kept as never }])
  const [first, done] = finish('done')
  assert.deepEqual(first!.effects, [
    { stepId: 's1', type: 'call', token: 1, actionId: 'action1', parameters: { order: 'AB-1', kind: 'a' } },
  ])
  assert.deepEqual(textsOf(done!.effects), ['It is on its way'])
  assert.deepEqual(textsOf(finish('notFound')[1]!.effects), ['Unknown'])
  assert.deepEqual(
    (['refused', 'failed', 'unknown'] as const).map((one) => finish(one)[1]!.state.endReason),
    ['action_failed', 'action_failed', 'action_unknown'],
  )
  const [, huge] = finish('done', { status: 'x'.repeat(9_000) })
  assert.equal(huge!.state.calls.order, null)
  const again = advance(
    flow,
    done!.state,
    { type: 'callFinished', token: 1, outcome: 'done', kept: null },
    makeEnv(),
  )
  assert.equal(again.isUsed, false)
})

test('the AI agent and other flows bring values back, and end the run if the customer is elsewhere', () => {
  const flow = makeFlow(
    [
      { id: 's1', type: 'ai', collect: ['topic'] },
      { id: 's2', type: 'flow', flowId: 'flow2', as: 'part', with: { subject: 'run.topic' } },
      say('s3', '{{run.topic}}'),
    ],
    {
      variables: { topic: { type: 'text' } },
    },
  )
  const ai: Input = { type: 'aiFinished', token: 1, outcome: 'done', collected: { topic: 'shoes', other: 1 } }
  const part = (endReason: 'finished' | 'handed_over' | 'step_failed'): Input => ({
    type: 'partFinished',
    token: 2,
    status: END_REASONS[endReason].status,
    endReason,
    variables: { topic: 'boots' },
  })
  const [, second, third] = playInputs(flow, [started(), ai, part('finished')])
  assert.deepEqual(second!.effects, [
    {
      stepId: 's2',
      type: 'startFlow',
      flowId: 'flow2',
      variables: { subject: 'shoes' },
      depth: 1,
      as: 'part',
      token: 2,
    },
  ])
  assert.deepEqual(textsOf(third!.effects), ['boots'])
  const [, , over] = playInputs(flow, [started(), ai, part('handed_over')])
  assert.deepEqual([over!.state.endReason, over!.effects], ['handed_over', []])
  const [, , broken] = playInputs(flow, [started(), ai, part('step_failed')])
  assert.deepEqual([broken!.state.endReason, kinds(broken!.effects)], ['part_failed', ['handOver']])
  const [gaveUp] = playInputs(flow, [started(), { ...ai, outcome: 'gaveUp' }]).slice(-1)
  assert.equal(gaveUp!.state.endReason, 'handed_over')
})

test('flows within flows end at a depth of five', () => {
  const flow = makeFlow([{ id: 's1', type: 'flow', flowId: 'flow2', as: 'instead' }])
  assert.equal(playInputs(flow, [started({ depth: 4 })])[0]!.state.endReason, 'continued_elsewhere')
  assert.equal(playInputs(flow, [started({ depth: 5 })])[0]!.state.endReason, 'flow_too_deep')
})

test('a split follows the random number that it is given', () => {
  const flow = makeFlow({
    main: {
      steps: [
        {
          id: 's1',
          type: 'split',
          paths: [
            { percent: 30, goto: 'a' },
            { percent: 70, goto: 'b' },
          ],
        },
      ],
    },
    a: { steps: [say('s2', 'a')] },
    b: { steps: [say('s3', 'b')] },
  })
  const drawn = [0, 0.29, 0.3, 0.99].map(
    (random) => textsOf(playInputs(flow, [started()], makeEnv({ random }))[0]!.effects)[0],
  )
  assert.deepEqual(drawn, ['a', 'a', 'b', 'b'])
})

test('each limit ends the run with its own reason and a hand-over', () => {
  const loop = makeFlow({
    main: { steps: [{ id: 's1', type: 'set', set: [{ to: 'run.x', value: 1 }] }], next: 'main' },
  })
  assert.equal(playInputs(loop, [started()])[0]!.state.endReason, 'sprint_steps_exceeded')
  const chatty = makeFlow(Array.from({ length: 6 }, (_, at) => say(`s${at + 1}a`, 'x', { onFailed: 'main' })))
  const [six] = playInputs(chatty, [started()])
  assert.deepEqual(
    [six!.state.endReason, textsOf(six!.effects).length, six!.effects.at(-1)?.type],
    ['sprint_messages_exceeded', 5, 'handOver'],
  )
  const busy = makeFlow(
    Array.from({ length: 30 }, (_, at) => ({ id: `s${at + 1}a`, type: 'note', text: 'x' })),
  )
  const [twenty] = playInputs(busy, [started()])
  assert.deepEqual(
    [twenty!.state.endReason, twenty!.effects.length, twenty!.effects.at(-1)?.type],
    ['sprint_effects_exceeded', 20, 'handOver'],
  )
  const round = makeFlow({ main: { steps: [ask('s1')], next: 'main' } })
  const talk = playInputs(round, [started(), ...Array.from({ length: 80 }, () => says('more'))])
  assert.equal(talk.at(-1)!.state.endReason, 'run_messages_exceeded')
  assert.equal(talk.at(-1)!.state.messagesSent, 60)
  const idle = makeFlow({
    main: { steps: [{ id: 's1', type: 'wait', for: 'PT1H', until: 'reply' }], next: 'main' },
  })
  const long = playInputs(idle, [started(), ...Array.from({ length: 600 }, () => says('more'))])
  assert.deepEqual([long.at(-1)!.state.endReason, long.at(-1)!.state.stepsTaken], ['run_steps_exceeded', 500])
})

test('a state that outgrows its bound ends the run instead of the row', () => {
  const names = Array.from({ length: 10 }, (_, at) => `list${at}`)
  const big = Array.from({ length: 50 }, () => 'ä'.repeat(500))
  const flow = makeFlow([ask('s1')], {
    variables: Object.fromEntries(names.map((name) => [name, { type: 'list' as const }])),
  })
  const [run] = playInputs(flow, [
    started({ variables: Object.fromEntries(names.map((name) => [name, big])) }),
  ])
  assert.equal(run!.state.endReason, 'state_too_large')
  assert.equal(run!.effects.at(-1)?.type, 'handOver')
  assert.ok(JSON.stringify(run!.state).length < 10_000)
})

test('a run is cancelled with the reason that it is given, and answers nothing more', () => {
  const flow = makeFlow([ask('s1'), say('s2')])
  const [, cancelled, after] = playInputs(flow, [
    started(),
    { type: 'cancelled', reason: 'person_took_over' },
    says('hi'),
  ])
  assert.deepEqual(
    [cancelled!.state.status, cancelled!.state.endReason, cancelled!.effects],
    ['cancelled', 'person_took_over', []],
  )
  assert.deepEqual([after!.isUsed, after!.effects], [false, []])
  assert.equal(playInputs(flow, [started(), started()])[1]!.isUsed, false)
})

test('a step that is off and a question that is skipped are passed', () => {
  const flow = makeFlow([
    { ...say('s1'), isOff: true },
    ask('s2', { skipIf: { value: 'contact.name', op: 'isSet' } }),
    say('s3'),
  ])
  const [run] = playInputs(flow, [started()])
  assert.deepEqual(textsOf(run!.effects), ['s3'])
  assert.deepEqual(
    run!.log.map(({ outcome }) => outcome),
    ['off', 'skipped', 'done', 'ended'],
  )
})

test('a customer called like a template keeps that name, and a phone number is no first name', () => {
  const flow = makeFlow([say('s1', 'Hello {{contact.name}} {{contact.firstName|there}}')])
  const greet = (name: string) =>
    textsOf(playInputs(flow, [started()], makeEnv({ contact: { name } }))[0]!.effects)[0]
  assert.equal(greet('{{contact.email}}'), 'Hello {{contact.email}} {{contact.email}}')
  assert.equal(greet('+49 170 1'), 'Hello +49 170 1 there')
})

test('a long message is kept in part', () => {
  const [run] = playInputs(makeFlow([ask('s1')]), [started({ message: makeMessage('x'.repeat(100_000)) })])
  assert.equal(run!.state.message?.text.length, 4_000)
})
