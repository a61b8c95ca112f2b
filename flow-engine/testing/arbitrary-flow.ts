// Random definitions that checkDefinition accepts, for tests of whatever runs flows.
import fc from 'fast-check'
import type { Condition, FlowDefinition, LocalizedText, Step } from '../schema.ts'

const VARIABLES = { topic: 'text', amount: 'number', sure: 'yesno', day: 'date', items: 'list' } as const
const NAMES = Object.keys(VARIABLES)

const path = fc.constantFrom(
  ...NAMES.map((name) => `run.${name}`),
  'contact.name',
  'contact.firstName',
  'contact.fields.plan',
  'contact.tags',
  'conversation.channel',
  'message.text',
  'call.order.status',
  'hours.opensAt',
  'workspace.name',
  'contact.constructor',
)

const insertion = fc
  .tuple(
    path,
    fc.constantFrom('', '|date', '|day', '|time', '|upper', '|first', '|number'),
    fc.constantFrom('', '|there'),
  )
  .map(([value, filter, fallback]) => `{{${value}${filter}${fallback}}}`)

const plain = fc.oneof(
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .map((text) => `a${text.replaceAll(/[{}\0]/g, '')}`),
  fc.constant('Hello'),
)
const line = fc
  .array(fc.oneof(plain, insertion), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join(' '))

const text: fc.Arbitrary<LocalizedText> = fc.oneof(
  line,
  fc.record({ en: line, de: line }),
  // Nothing to see once its value is put in.
  fc.constant('{{run.topic}}'),
)

const leaf: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({
    value: path,
    op: fc.constantFrom(
      'is',
      'isNot',
      'contains',
      'startsWith',
      'above',
      'below',
      'before',
      'after',
      'hasTag',
    ),
    to: fc.oneof(plain, fc.integer(), fc.boolean(), fc.constant('now')),
  }),
  fc.record({ value: path, op: fc.constantFrom('isSet', 'isEmpty') }),
  fc.record({ value: path, op: fc.constant('matches'), to: fc.constantFrom('^a+$', '\\d{2,}', '(a|b)*c') }),
) as fc.Arbitrary<Condition>

const condition: fc.Arbitrary<Condition> = fc.oneof(
  leaf,
  fc.array(leaf, { minLength: 1, maxLength: 3 }).map((all) => ({ all })),
  fc.array(leaf, { minLength: 1, maxLength: 3 }).map((any) => ({ any })),
  leaf.map((not) => ({ not })),
)

const duration = fc.constantFrom('PT0S', 'PT30S', 'PT10M', 'PT1H')
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

type Draft = Omit<Step, 'id'>
/** `ahead` only leads to later blocks, `anywhere` back as well: only from steps that wait, so that no loop is endless. */
type Targets = { ahead: fc.Arbitrary<string>; anywhere: fc.Arbitrary<string> }

const ask = ({ anywhere }: Targets): fc.Arbitrary<Draft> => {
  const common = {
    text,
    skipIf: maybe(condition),
    offerPerson: maybe(fc.boolean()),
    retry: maybe(
      fc.record({ times: fc.integer({ min: 0, max: 2 }), text: maybe(text), then: maybe(anywhere) }),
    ),
    timeout: maybe(fc.record({ after: duration, then: anywhere })),
    onFailed: maybe(anywhere),
    store: maybe(
      fc.oneof(
        fc.constantFrom(...NAMES.map((name) => `run.${name}`), 'run.undeclared', 'contact.fields.plan'),
        fc.constant({ run: 'run.topic', contact: 'contact.name' }),
      ),
    ),
  }
  const answer = fc.constantFrom('text', 'yesno', 'email', 'phone', 'number', 'date', 'file', 'rating')
  const option = fc.record({ title: text, goto: maybe(anywhere), showIf: maybe(condition) })
  return fc.oneof(
    fc.record({ type: fc.constant('ask'), answer, ...common }),
    fc.record({
      type: fc.constant('ask'),
      answer: fc.constant('choice'),
      options: fc
        .array(option, { minLength: 1, maxLength: 4 })
        .map((options) => options.map((one, at) => ({ ...one, id: `o${at}` }))),
      ...common,
    }),
  ) as fc.Arbitrary<Draft>
}

const dialogStep = (targets: Targets): fc.Arbitrary<Draft> =>
  fc.oneof(
    { weight: 4, arbitrary: ask(targets) },
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant('send'),
        text,
        ifWindowClosed: maybe(
          fc.constant({ name: 'order_status', language: 'en', parameters: ['{{contact.name}}'] }),
        ),
        onFailed: maybe(targets.ahead),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant('ai'),
        goal: plain,
        collect: fc.constant(['topic']),
        onDone: maybe(targets.anywhere),
        onGiveUp: maybe(targets.anywhere),
      }),
    },
  ) as fc.Arbitrary<Draft>

const team = maybe(fc.constantFrom('team1', 'gone'))

const silentStep = ({ ahead, anywhere }: Targets): fc.Arbitrary<Draft> =>
  fc.oneof(
    fc.record({
      type: fc.constant('branch'),
      paths: fc.array(fc.record({ when: condition, goto: ahead }), { minLength: 1, maxLength: 3 }),
      else: ahead,
    }),
    fc.record({ type: fc.constant('hours'), open: ahead, closed: ahead, onFailed: maybe(ahead) }),
    fc.record({
      type: fc.constant('wait'),
      for: duration,
      until: maybe(fc.constantFrom('time', 'opening', 'reply')),
      onReply: maybe(fc.constantFrom('continue', 'ignore', 'cancel')),
    }),
    fc.record({
      type: fc.constant('set'),
      set: fc.array(
        fc.oneof(
          fc.record({
            to: fc.constantFrom(
              'run.topic',
              'run.amount',
              'run.items',
              'contact.fields.plan',
              'contact.language',
            ),
            value: fc.oneof(plain, fc.integer(), fc.boolean(), fc.constant(null)),
          }),
          fc.record({ to: fc.constantFrom('run.topic', 'run.day', 'contact.name'), from: path }),
        ),
        { minLength: 1, maxLength: 3 },
      ),
    }),
    fc.record({
      type: fc.constant('tag'),
      add: maybe(fc.constantFrom(['tag1'], ['gone'])),
      remove: maybe(fc.constant(['tag1'])),
    }),
    fc.record({
      type: fc.constant('assign'),
      to: fc.oneof(
        fc.constantFrom('agent1', 'gone', 'nobody'),
        fc.record({ among: fc.constant(['agent1', 'agent2']), onlineOnly: fc.boolean(), else: maybe(ahead) }),
      ),
      teamId: team,
      onFailed: maybe(ahead),
    }),
    fc.record({ type: fc.constant('note'), text: line }),
    fc.record({ type: fc.constant('close') }),
    fc.record({
      type: fc.constant('call'),
      actionId: fc.constantFrom('action1', 'action1', 'gone'),
      with: fc.constant({ order: { from: 'run.topic' } }),
      keep: fc.constant('order'),
      paths: maybe(fc.record({ notFound: anywhere, refused: anywhere })),
      onFailed: maybe(anywhere),
    }),
    fc.record({
      type: fc.constant('people'),
      assign: maybe(fc.constantFrom('agent1', 'gone')),
      teamId: team,
    }),
    fc.record({
      type: fc.constant('flow'),
      flowId: fc.constantFrom('flow2', 'gone'),
      as: fc.constantFrom('part', 'part', 'instead'),
      with: fc.constant({ topic: 'run.topic' }),
    }),
    fc.record({
      type: fc.constant('split'),
      paths: fc.tuple(ahead, ahead).map(([a, b]) => [
        { percent: 30, goto: a },
        { percent: 70, goto: b },
      ]),
    }),
    fc.record({ type: fc.constant('goto'), to: ahead }),
  ) as fc.Arbitrary<Draft>

const withoutUndefined = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

const block = (at: number, count: number, kind: FlowDefinition['kind']) => {
  const ids = Array.from({ length: count }, (_, one) => `b${one}`)
  const ends = kind === 'dialog' ? ['end', 'people', 'ai'] : ['end', 'people']
  const targets = {
    ahead: fc.constantFrom(...ids.slice(at + 1), ...ends),
    anywhere: fc.constantFrom(...ids, ...ids, ...ends),
  }
  const step = kind === 'dialog' ? fc.oneof(dialogStep(targets), silentStep(targets)) : silentStep(targets)
  const withSwitch = fc
    .tuple(step, fc.nat(9))
    .map(([one, die]) => (die === 0 ? { ...one, isOff: true } : one))
  return fc.record({
    steps: fc.array(withSwitch, { minLength: 1, maxLength: 5 }),
    next: maybe(targets.ahead),
  })
}

/** Definitions of one to five blocks with every type of step; texts, conditions and references of all kinds. */
export const arbitraryFlow: fc.Arbitrary<FlowDefinition> = fc
  .tuple(fc.integer({ min: 1, max: 5 }), fc.constantFrom('dialog', 'dialog', 'dialog', 'background'))
  .chain(([count, kind]) =>
    fc.record({
      kind: fc.constant(kind),
      blocks: fc.tuple(
        ...Array.from({ length: count }, (_, at) => block(at, count, kind as FlowDefinition['kind'])),
      ),
      oldChoices: maybe(fc.constantFrom('jump', 'explain', 'ignore')),
    }),
  )
  .map(({ kind, blocks, oldChoices }) => {
    let id = 0
    const named = blocks.map((one) => ({
      ...one,
      steps: one.steps.map((step) => ({ ...step, id: `s${++id}` })),
    }))
    // The parts were built to fit together; the tests check that they do.
    return withoutUndefined({
      schema: 1,
      kind,
      language: 'en',
      triggers: [{ on: 'message' }],
      oldChoices,
      variables: Object.fromEntries(
        Object.entries(VARIABLES).map(([name, type]) => [name, { type, isPrivate: name === 'day' }]),
      ),
      start: 'b0',
      blocks: Object.fromEntries(named.map((one, at) => [`b${at}`, one])),
    }) as FlowDefinition
  })
