// Definitions that don't fit, over HTTP: each is refused with the place named, quickly, and never with a 500.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { makeBlockingCheck } from '../../../test/blocking.ts'
import { signIn } from '../../../test/console.ts'
import { GREETING } from '../../../test/make-flow.ts'

const app = await startApp()
const { id: workspaceId } = await app.make.workspace()
const admin = await app.make.agent(workspaceId, { role: 'admin' })
const { call, secret } = await signIn(app, workspaceId, admin.id)
const headers = {
  cookie: `foyer_session=${secret}`,
  'x-foyer-console': '1',
  'content-type': 'application/json',
}
const W = `/console/api/workspaces/${workspaceId}`

type Step = Record<string, unknown>

const withSteps = (...steps: Step[]) => ({
  ...GREETING,
  blocks: { hello: { steps: steps.map((step, at) => ({ id: `s${at + 1}`, ...step })), next: 'end' } },
})
const ask = (more: Step): Step => ({ type: 'ask', answer: 'text', text: 'What?', ...more })
const options = (...titles: string[]) => titles.map((title, at) => ({ id: `o${at}`, title }))
const nested = (depth: number): object =>
  depth === 0 ? { value: 'run.order', op: 'isSet' } : { not: nested(depth - 1) }
const branch = (when: unknown): Step => ({ type: 'branch', paths: [{ when, goto: 'hello' }], else: 'end' })
const send = (text: unknown): Step => ({ type: 'send', text })

/** As JSON text, because some of it isn't what JSON.stringify would write. */
const fileOf = (definition: unknown): string => JSON.stringify({ file: definition })

const REFUSED: Record<string, [body: string, says: RegExp]> = {
  'F1 an unknown step': [fileOf(withSteps({ type: 'shout' })), /^Step s1 has the type "shout"/],
  'F1 an unknown key': [fileOf(withSteps({ ...send('Hi'), colour: 'red' })), /^Step s1 \(send\).*“colour”/],
  'F1 an unknown block': [fileOf(withSteps({ type: 'goto', to: 'nowhere' })), /^Step s1: .*“nowhere”/],
  'F1 a reserved block': [
    fileOf({ ...GREETING, blocks: { ...GREETING.blocks, people: GREETING.blocks.hello } }),
    /./,
  ],
  'F1 no flow at all': [fileOf([1, 2]), /must be a flow/],
  'F1 a text': [fileOf('hello'), /must be a flow/],
  'F2 a cycle without a wait': [fileOf(withSteps({ type: 'goto', to: 'hello' })), /^Step s1: the loop hello/],
  'F3 too many steps': [
    fileOf({
      ...GREETING,
      blocks: Object.fromEntries(
        Array.from({ length: 7 }, (_, block) => [
          block === 0 ? 'hello' : `b${block}`,
          {
            steps: Array.from({ length: 50 }, (_, at) => ({ id: `s${block}x${at}`, ...send('Hi') })),
            next: 'end',
          },
        ]),
      ),
    }),
    /has 350 steps. The limit is 300/,
  ],
  'F3 too many blocks': [
    fileOf({
      ...GREETING,
      blocks: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`b${at}`, { steps: [] }])),
    }),
    /at most 100 blocks/,
  ],
  'F3 too many bytes': [
    fileOf(withSteps(...Array.from({ length: 40 }, () => send('é'.repeat(4_000))))),
    /too large/,
  ],
  'F3 deep conditions': [fileOf(withSteps(branch(nested(30)))), /nested 10 levels/],
  'F3 deeper than any reader': [`{"file":${'{"not":'.repeat(10_000)}1${'}'.repeat(10_000)}}`, /64 levels/],
  'F3 wide': [`{"file":{"blocks":{},"triggers":[${'0,'.repeat(150_000)}0]}}`, /100,000 values/],
  'F4 a pattern with look-ahead': [
    fileOf(withSteps(ask({ pattern: '(?=a)b' }))),
    /^Step s1: the pattern isn’t valid/,
  ],
  'F4 a broken pattern in a condition': [
    fileOf(withSteps(branch({ value: 'run.order', op: 'matches', to: '(((' }))),
    /^Step s1: the pattern of the condition/,
  ],
  'F5 a template that never closes': [fileOf(withSteps(send('Hello {{'))), /^Step s1: .*never closes/],
  'F5 a template into the prototype': [fileOf(withSteps(send('Hello {{__proto__}}'))), /^Step s1: /],
  'F5 a chain of filters': [fileOf(withSteps(send(`{{contact.name${'|upper'.repeat(200)}}}`))), /^Step s1: /],
  'F6 an empty text': [fileOf(withSteps(send(''))), /^Step s1 \(send\)/],
  'F6 a trigger word that is only zero-width': [
    fileOf({ ...GREETING, triggers: [{ on: 'opened' }, { on: 'message', words: ['hi', '\u200b\u2060'] }] }),
    /^Trigger 2: the word .* has no letters or digits/,
  ],
  'F6 an empty list of trigger words': [
    fileOf({ ...GREETING, triggers: [{ on: 'message', words: [] }] }),
    /^Trigger 1 has an empty list of words/,
  ],
  'F6 a text that is only zero-width': [
    fileOf(withSteps(send('\u200b\u2060'))),
    /^Step s1: has a text without/,
  ],
  'F7 a prototype key': [
    '{"file":{"__proto__":{"blocks":{}},"triggers":[],"blocks":{}}}',
    /“__proto__” can’t be used/,
  ],
  'F7 a variable called constructor': [
    fileOf({ ...GREETING, variables: { constructor: { type: 'text' } } }),
    /“constructor” can’t be used/,
  ],
  'F7 a field called __proto__': [
    fileOf(withSteps({ type: 'set', set: [{ to: 'contact.fields.__proto__', value: 'x' }] })),
    /^Step s1: /,
  ],
  'F8 a number that is none': ['{"file":{"triggers":[],"blocks":{},"start":1e309}}', /finite|must be/],
  'F8 a range the wrong way round': [
    fileOf(withSteps(ask({ answer: 'number', min: 5, max: 1 }))),
    /^Step s1: /,
  ],
  'F9 a wait of a hundred days': [
    fileOf(withSteps({ type: 'wait', for: 'P100D' })),
    /^Step s1: waits for longer than 30 days/,
  ],
  'F9 a wait that is no duration': [
    fileOf(withSteps({ type: 'wait', for: 'tomorrow' })),
    /^Step s1 \(wait\)/,
  ],
  'F10 two options of one id': [
    fileOf(withSteps(ask({ answer: 'choice', options: [...options('A'), ...options('B')] }))),
    /^Step s1: two options have the same id/,
  ],
  'F11 no options': [fileOf(withSteps(ask({ answer: 'choice', options: [] }))), /^Step s1 \(ask\)/],
  'F11 31 options': [
    fileOf(
      withSteps(
        ask({ answer: 'choice', options: options(...Array.from({ length: 31 }, (_, at) => `${at}`)) }),
      ),
    ),
    /^Step s1 \(ask\).*at most 30/,
  ],
  'a text with NUL': [`{"file":${JSON.stringify(withSteps(send('a\u0000b')))}}`, /U\+0000/],
  'half a character': ['{"file":{"triggers":[],"blocks":{},"start":"\\ud800"}}', /cannot be stored|half/],
}

for (const [name, [payload, says]] of Object.entries(REFUSED))
  test(`${name} is refused, and the place is named`, async () => {
    const response = await app.app.inject({ method: 'POST', url: `${W}/flows/import`, headers, payload })
    const { error } = response.json()
    assert.equal(response.statusCode, 400, response.body)
    assert.match(error.details?.[0]?.message ?? error.message, says)
  })

test('a flow needs a name that people can see, when it is made, renamed or imported', async () => {
  const name = '\u200b\u2060\u00ad'
  const { body } = await call('POST', '/flows', { name: 'Seen', definition: withSteps(send('Hi')) })
  for (const refused of [
    await call('POST', '/flows', { name, definition: withSteps(send('Hi')) }),
    await call('PATCH', `/flows/${body.flow.id}`, { name }),
    await call('POST', '/flows/import', { name, file: withSteps(send('Hi')) }),
  ]) {
    assert.equal(refused.status, 400, refused.text)
    assert.deepEqual(refused.body.error.details, [{ field: 'name', message: 'needs a visible character' }])
  }
})

test('a text that reads what every object has reads nothing', async () => {
  const { body } = await call('POST', '/flows', {
    name: 'Constructor',
    definition: withSteps(send('Hello {{contact.constructor}}!')),
  })
  const scenario = { name: 'Says nothing of it', turns: [{ say: 'hi' }, { expect: { text: 'Hello !' } }] }
  await call('POST', `/flows/${body.flow.id}/tests`, { scenario })
  assert.deepEqual((await call('POST', `/flows/${body.flow.id}/check`)).body.failures, [])
})

test('options that a channel would show as text are told before they go live', async () => {
  await app.make.channelAccount(workspaceId, 'whatsapp')
  const long = 'A very long title of an option'
  const { body } = await call('POST', '/flows', {
    name: 'Cut',
    definition: withSteps(ask({ answer: 'choice', options: options(`${long} one`, `${long} two`) })),
  })
  const refused = await call('POST', `/flows/${body.flow.id}/publish`, { revision: 1 })
  assert.equal(refused.body.error.code, 'FLOW_HAS_WARNINGS', refused.text)
  assert.ok(
    refused.body.error.details.some(
      ({ field, message }: { field: string; message: string }) => field === 's1' && /whatsapp/i.test(message),
    ),
    refused.text,
  )
})

test('flows that call each other in a circle are refused, the second to be published', async () => {
  const make = async (name: string, steps: Step[]) =>
    (await call('POST', '/flows', { name, definition: withSteps(...steps) })).body.flow
  const publish = (id: string, revision: number) =>
    call('POST', `/flows/${id}/publish`, { revision, acceptWarnings: true })
  const first = await make('First', [send('Hi')])
  assert.equal((await publish(first.id, 1)).status, 200)
  const second = await make('Second', [send('Hi'), { type: 'flow', flowId: first.id, as: 'instead' }])
  assert.equal((await publish(second.id, 1)).status, 200)
  const circle = withSteps({ type: 'flow', flowId: second.id, as: 'instead' })
  await call('PUT', `/flows/${first.id}/draft`, { definition: circle, revision: 1 })
  const refused = await publish(first.id, 2)
  assert.match(
    refused.body.error.details[0].message,
    /^Step s1: flows call each other in a circle: this flow → “Second” \(step s2\)\. Add a question/,
  )
  // The other flow waits before it comes back.
  const asking = withSteps(ask({}), { type: 'flow', flowId: first.id, as: 'instead' })
  await call('PUT', `/flows/${second.id}/draft`, { definition: asking, revision: 1 })
  assert.equal((await publish(second.id, 2)).status, 200)
  assert.equal((await publish(first.id, 2)).status, 200)
})

/** As large as a definition may be, in the shapes that take longest to check. */
const largest = () => {
  const block = (at: number) => `b${at % 100}`
  const blocks = Object.fromEntries(
    Array.from({ length: 100 }, (_, at) => [
      block(at),
      {
        steps: [0, 1, 2].map((step) => ({
          id: `s${at}x${step}`,
          ...(step === 0
            ? ask({ store: 'run.order', text: { en: 'x'.repeat(300), de: 'y'.repeat(300) } })
            : {
                type: 'branch',
                paths: Array.from({ length: 8 }, (_, path) => ({
                  // As many patterns as are allowed.
                  when: {
                    value: 'run.order',
                    op: at === 0 && step === 1 ? 'matches' : 'contains',
                    to: '((a{0,9}){0,9})',
                  },
                  goto: block(at * 7 + path * 13 + step),
                })),
                else: block(at + 1),
              }),
        })),
      },
    ]),
  )
  return { ...GREETING, start: 'b0', blocks }
}

test('the largest definition is saved, checked, published and exported without keeping others waiting', async () => {
  const { check, assertNothingSlow } = makeBlockingCheck(app)
  const definition = largest()
  const bytes = JSON.stringify(definition).length
  assert.ok(bytes > 200_000 && bytes < 256 * 1024, String(bytes))
  const { body } = await call('POST', '/flows', { name: 'Largest', definition })
  const { id } = body.flow
  // A thread has to start once.
  await call('POST', `/flows/${id}/check`)
  let revision = 1
  const save = () => ({
    method: 'PUT' as const,
    url: `${W}/flows/${id}/draft`,
    headers,
    payload: { definition, revision: revision++ },
  })
  assert.equal(await check('save', save), 200)
  for (const verb of ['check', 'backtest'])
    assert.equal(
      await check(verb, { method: 'POST', url: `${W}/flows/${id}/${verb}`, headers, payload: {} }),
      200,
    )
  const publish = { revision, acceptWarnings: true }
  assert.notEqual(
    await check('publish', { method: 'POST', url: `${W}/flows/${id}/publish`, headers, payload: publish }),
    500,
  )
  assert.equal(await check('export', { method: 'GET', url: `${W}/flows/${id}/export`, headers }), 200)
  assert.equal(
    await check('import', {
      method: 'POST',
      url: `${W}/flows/import`,
      headers,
      payload: { file: definition },
    }),
    200,
  )
  assertNothingSlow()
})

test('fifty of the longest tests let other requests in between, and each is reported', async () => {
  const { check, assertNothingSlow } = makeBlockingCheck(app)
  const steps = [
    { type: 'wait', for: 'PT1S' },
    ...Array.from({ length: 48 }, () => ({ type: 'set', set: [{ to: 'run.order', from: 'message.text' }] })),
  ]
  const definition = withSteps(...steps)
  const { body } = await call('POST', '/flows', {
    name: 'Busy',
    definition: { ...definition, blocks: { hello: { ...definition.blocks.hello, next: 'hello' } } },
  })
  const turns = [{ say: 'ab'.repeat(1_900) }, ...Array.from({ length: 198 }, () => ({ wait: 'PT2H' }))]
  for (let count = 0; count < 50; count++) {
    const scenario = {
      name: `Busy ${count}`,
      turns: [...turns, { expect: { ended: 'completed' } }],
    }
    assert.equal((await call('POST', `/flows/${body.flow.id}/tests`, { scenario })).status, 200)
  }
  const url = `${W}/flows/${body.flow.id}/check`
  assert.equal(await check('check', { method: 'POST', url, headers, payload: {} }), 200)
  const { body: checked } = await call('POST', `/flows/${body.flow.id}/check`)
  assert.equal(checked.failures.length, 50)
  assertNothingSlow()
})
