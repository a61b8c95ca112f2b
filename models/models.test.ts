// The same cases over the three protocols, against the sandbox's models: whoever uses a model can't tell them apart.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { allowOutbound, configureOutbound } from '../channels/protocol/outbound.ts'
import { makePicture } from '../sandbox/model/make-picture.ts'
import { startSandbox } from '../sandbox/sandbox.ts'
import {
  type Completion,
  type CompletionRequest,
  type Model,
  type ModelAccount,
  ModelError,
  type ModelProblem,
} from './contract.ts'
import { loadModel } from './index.ts'
import { MODEL_KINDS, type ModelKind } from './names.ts'

const KEY = 'sk-test-4f9d2c81e7a6b350'
const sandbox = await startSandbox({ modelKey: KEY })
const { control } = sandbox
after(() => sandbox.stop())
before(() => allowOutbound(sandbox.url))
beforeEach(() => control.clearModel())

const TIMEOUT_MS = 30_000
const MODEL = 'sandbox-script'

const TASK: CompletionRequest = {
  system: 'You help the customers of a shop.',
  turns: [
    { from: 'us', text: 'Welcome!' },
    { from: 'customer', text: 'Hello' },
    { from: 'customer', text: 'Where is order 1182?' },
  ],
  tools: [
    {
      name: 'find_order',
      description: 'Finds an order.',
      parameters: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
    },
    { name: 'read_contact', description: 'Reads the contact.', parameters: { type: 'object' } },
  ],
  final: {
    name: 'end_turn',
    description: 'Ends the turn.',
    parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
  carry: null,
  results: [],
  mustEnd: false,
  outputTokensMax: 500,
  customerKey: 'c0ffee',
}
const END = { calls: [{ name: 'end_turn', arguments: { text: 'It is on its way.' } }] }
const FIND = { calls: [{ name: 'find_order', arguments: { order: '1182' } }] }

const accountOf = (kind: ModelKind, more: Partial<ModelAccount> = {}): ModelAccount => ({
  baseUrl: kind === 'messages' ? sandbox.url : `${sandbox.url}/v1/`,
  key: KEY,
  model: MODEL,
  ...more,
})

type Side = {
  kind: ModelKind
  model: Model
  account: ModelAccount
  ask: (more?: Partial<CompletionRequest>, account?: Partial<ModelAccount>) => Promise<Completion>
  fails: (more?: Partial<ModelAccount>, timeoutMs?: number) => Promise<ModelError>
}

/** One test for each protocol. */
const overAll = (name: string, run: (side: Side) => Promise<void>): void => {
  for (const kind of MODEL_KINDS)
    test(`${kind}: ${name}`, async () => {
      const model = await loadModel(kind)
      const account = accountOf(kind)
      await run({
        kind,
        model,
        account,
        ask: (more = {}, other = {}) =>
          model.complete({ ...account, ...other }, { ...TASK, ...more }, { timeoutMs: TIMEOUT_MS }),
        fails: async (other = {}, timeoutMs = TIMEOUT_MS) => {
          try {
            await model.complete({ ...account, ...other }, TASK, { timeoutMs })
          } catch (error) {
            assert.ok(error instanceof ModelError, String(error))
            return error
          }
          return assert.fail('it was answered')
        },
      })
    })
}

const endOf = (completion: Completion) => {
  assert.ok(completion.is === 'final', completion.is)
  return completion.arguments
}
const callsOf = (completion: Completion) => {
  assert.ok(completion.is === 'calls', completion.is)
  return completion.calls
}

overAll('the model calls a tool, reads its result and ends the turn', async ({ ask }) => {
  control.scriptModel([{ ...FIND, reasoning: 'Look first.', text: 'One moment.' }, END])
  const first = await ask()
  const [call] = callsOf(first)
  assert.deepEqual([call!.name, call!.arguments, call!.problem], ['find_order', { order: '1182' }, null])
  assert.ok(first.is === 'calls')
  const carry = JSON.parse(JSON.stringify(first.carry))
  const second = await ask({ carry, results: [{ callId: call!.callId, text: 'Sent on Monday.' }] })
  assert.deepEqual(endOf(second), { text: 'It is on its way.' })
  assert.equal(second.model, MODEL)
  assert.match(second.requestId!, /^req_\d+$/)
  assert.ok(second.usage!.inputTokens > first.usage!.inputTokens && second.usage!.outputTokens > 0)
  const [seen, last] = control.modelCalls()
  assert.equal(seen!.heard.system, TASK.system)
  assert.deepEqual(
    seen!.heard.tools.map(({ name }) => name),
    ['find_order', 'read_contact', 'end_turn'],
  )
  assert.deepEqual([seen!.heard.mustCall, seen!.heard.tokensMax], ['any', 500])
  assert.deepEqual(last!.heard.entries.at(-1), {
    from: 'result',
    callId: call!.callId,
    text: 'Sent on Monday.',
  })
})

overAll(
  'what was said before arrives in order, and the customer’s words only as the customer’s',
  async ({ ask }) => {
    control.scriptModel([END])
    await ask()
    const said = control
      .modelCalls()[0]!
      .heard.entries.map((entry) => 'text' in entry && `${entry.from}: ${entry.text}`)
    const expected = ['assistant: Welcome!', 'user: Hello', 'user: Where is order 1182?']
    assert.deepEqual(
      said.filter((line) => line !== 'user: (We wrote first.)'),
      expected,
    )
  },
)

overAll('a final answer can be sent back to be repaired', async ({ ask }) => {
  control.scriptModel([END, { calls: [{ name: 'end_turn', arguments: { text: 'Better.' } }] }])
  const first = await ask()
  assert.ok(first.is === 'final')
  const results = [{ callId: first.callId, text: 'The source doesn’t say so.', isError: true }]
  assert.deepEqual(endOf(await ask({ carry: first.carry, results, mustEnd: true })), { text: 'Better.' })
  const { heard } = control.modelCalls()[1]!
  assert.deepEqual(
    [heard.mustCall, heard.tools.map(({ name }) => name)],
    [{ name: 'end_turn' }, ['end_turn']],
  )
})

overAll('a call without a result is explained to the model', async ({ ask }) => {
  control.scriptModel([{ calls: [...FIND.calls, ...END.calls, { name: 'nothing', arguments: {} }] }, END])
  const first = await ask()
  assert.deepEqual(
    callsOf(first).map(({ name, problem }) => [name, problem !== null]),
    [
      ['find_order', false],
      ['nothing', true],
    ],
  )
  assert.ok(first.is === 'calls')
  endOf(await ask({ carry: first.carry, results: [{ callId: first.calls[0]!.callId, text: 'Sent.' }] }))
  const told = control
    .modelCalls()[1]!
    .heard.entries.flatMap((entry) => (entry.from === 'result' ? [entry.text] : []))
  assert.equal(told.length, 3)
  assert.match(told[0]!, /Sent\.$/)
  assert.match(told[1]!, /call it alone/)
  assert.match(told[2]!, /There is no tool of this name. You have: find_order, read_contact, end_turn\./)
})

overAll('a refusal is a result, and filtering is a failure', async ({ kind, ask, fails }) => {
  control.addModelFault({ kind: 'refusal' })
  const refused = await ask()
  assert.ok(refused.is === 'refused')
  assert.equal(refused.text, 'I can’t help with that.')
  control.addModelFault({ kind: 'content-filter' })
  // Messages has one name for both.
  if (kind === 'messages') assert.equal((await ask()).is, 'refused')
  else assert.equal((await fails()).problem, 'filtered')
})

overAll('each error of the provider has its meaning', async ({ fails }) => {
  const MEANINGS: [Parameters<typeof control.addModelFault>[0]['kind'], ModelProblem][] = [
    ['key', 'badKey'],
    ['forbidden', 'badKey'],
    ['no-model', 'noModel'],
    ['too-long', 'tooLong'],
    ['too-large', 'tooLong'],
    ['no-funds', 'noFunds'],
    ['html', 'badAddress'],
    ['empty-body', 'badAddress'],
    ['filtered', 'filtered'],
  ]
  for (const [fault, problem] of MEANINGS) {
    control.clearModel()
    control.addModelFault({ kind: fault, times: null })
    const error = await fails()
    assert.deepEqual([error.problem, error.tries], [problem, 1], fault)
  }
  control.clearModel()
  assert.equal((await fails({ model: 'gone' })).problem, 'noModel')
  assert.equal((await fails({ baseUrl: `${sandbox.url}/elsewhere` })).problem, 'badAddress')
})

overAll('what may pass is tried again, what may not is left', async ({ ask, fails }) => {
  for (const kind of ['server', 'unavailable', 'overloaded', 'drop', 'truncated', 'cut'] as const) {
    control.clearModel()
    control.scriptModel([END, END])
    control.addModelFault({ kind })
    if (kind === 'truncated') {
      assert.equal((await fails()).problem, 'badAnswer')
      continue
    }
    const completion = await ask()
    assert.deepEqual([endOf(completion), completion.tries], [{ text: 'It is on its way.' }, 2], kind)
  }
  control.clearModel()
  control.addModelFault({ kind: 'server', times: null })
  const error = await fails()
  assert.deepEqual([error.problem, error.status, error.tries], ['temporary', 500, 3])
})

overAll('a rate limit is waited for if that is short, and told if it is long', async ({ ask, fails }) => {
  control.scriptModel([END])
  control.addModelFault({ kind: 'rate-limit', retryAfterSeconds: 0 })
  assert.equal((await ask()).tries, 2)
  control.addModelFault({ kind: 'rate-limit', retryAfterSeconds: 77 })
  const error = await fails()
  assert.deepEqual(
    [error.problem, error.retryAfterMs, error.tries, error.concerns],
    ['tooMany', 77_000, 1, 'request'],
  )
})

overAll(
  'a server that never answers ends with the time limit, or when nobody waits any more',
  async ({ model, account, fails }) => {
    control.addModelFault({ kind: 'hang', times: null })
    assert.equal((await fails({}, 200)).problem, 'temporary')
    const stop = new AbortController()
    const asked = model.complete(account, TASK, { timeoutMs: TIMEOUT_MS, signal: stop.signal })
    stop.abort()
    await assert.rejects(asked, (error) => error instanceof ModelError && error.problem === 'cancelled')
  },
)

overAll('an answer of no use is a bad answer, whatever is wrong with it', async ({ kind, fails }) => {
  const BAD = [
    'words-only',
    'empty-content',
    'reasoning-only',
    'length',
    'malformed',
    'truncated',
    'huge',
    'deep',
    'many-values',
    'empty-choices',
    'wrong-types',
  ] as const
  for (const fault of BAD) {
    control.clearModel()
    control.scriptModel([END])
    control.addModelFault({ kind: fault, times: null })
    const error = await fails()
    assert.deepEqual([error.problem, error.concerns], ['badAnswer', 'request'], `${kind} ${fault}`)
  }
})

overAll('what it cost is told even if the answer is of no use', async ({ fails }) => {
  control.addModelFault({ kind: 'words-only' })
  const { usage, requestId } = await fails()
  assert.ok(usage!.inputTokens > 0 && usage!.outputTokens > 0 && requestId)
})

overAll('odd answers are understood', async ({ kind, ask }) => {
  const ODD = [
    'two-finals',
    'text-beside',
    'no-usage',
    'odd-usage',
    'unknown-stop',
    'arguments-as-object',
    'bad-ids',
  ] as const
  for (const fault of ODD) {
    control.clearModel()
    control.scriptModel([END])
    control.addModelFault({ kind: fault })
    const completion = await ask()
    assert.deepEqual(endOf(completion), { text: 'It is on its way.' }, fault)
    assert.equal(completion.usage === null, fault.endsWith('usage'), fault)
  }
  if (kind !== 'chat_completions') return
  control.scriptModel([END])
  control.addModelFault({ kind: 'call-as-text' })
  assert.deepEqual(endOf(await ask()), { text: 'It is on its way.' })
})

overAll(
  'calls that can’t be carried out are told from those that can, and the loop goes on',
  async ({ ask }) => {
    const BAD = [
      'unknown-tool',
      'broken-arguments',
      'list-arguments',
      'many-calls',
      'duplicate-ids',
      'final-and-tool',
    ] as const
    for (const fault of BAD) {
      control.clearModel()
      control.scriptModel([END, END])
      control.addModelFault({ kind: fault })
      const first = await ask()
      const calls = callsOf(first)
      assert.ok(calls.length >= 1 && calls.length <= 16, fault)
      assert.equal(new Set(calls.map(({ callId }) => callId)).size, calls.length, fault)
      assert.ok(first.is === 'calls')
      const isBad = fault === 'unknown-tool' || fault.endsWith('-arguments')
      assert.equal(
        calls.every(({ problem }) => problem !== null),
        isBad,
        fault,
      )
      endOf(await ask({ carry: first.carry, results: [] }))
    }
  },
)

overAll('characters that no database takes don’t get in the way', async ({ ask }) => {
  control.scriptModel([END])
  control.addModelFault({ kind: 'odd-characters' })
  const { text } = endOf(await ask())
  assert.ok(typeof text === 'string' && text.startsWith('It is on its way.'))
})

overAll('the key is in no error, whatever quotes it', async ({ ask, fails }) => {
  const said: string[] = []
  control.scriptModel([END])
  control.addModelFault({ kind: 'key-quoted' })
  said.push(JSON.stringify(await ask()))
  for (const fault of ['key', 'html', 'malformed', 'drop', 'hang'] as const) {
    control.clearModel()
    control.addModelFault({ kind: fault, times: null })
    const error = await fails({}, fault === 'hang' ? 200 : TIMEOUT_MS)
    said.push(`${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`)
  }
  for (const key of [`${KEY}\r\nx-admin: 1`, `${KEY} `, 'ключ'])
    said.push(JSON.stringify(await fails({ key })), (await fails({ key })).message)
  assert.deepEqual(
    said.filter((text) => text.includes(KEY)),
    [],
  )
})

overAll('an address inside is never asked, unless the operator allows it', async ({ kind, fails }) => {
  const { port } = new URL(sandbox.url)
  configureOutbound({ allow: [] })
  try {
    for (const baseUrl of [
      sandbox.url,
      `http://localhost:${port}/v1`,
      `https://127.0.0.1:${port}/v1`,
      'http://169.254.169.254/latest',
      'https://user:password@models.example/v1',
      'ftp://models.example/v1',
      'no address',
    ]) {
      const error = await fails({ baseUrl })
      assert.deepEqual([error.problem, error.concerns], ['badAddress', 'account'], baseUrl)
    }
  } finally {
    configureOutbound({ allow: [] })
    allowOutbound(sandbox.url)
  }
  assert.equal(control.modelCalls().length, 0, kind)
})

overAll('the check finds a model that can do everything', async ({ model, account }) => {
  const { steps, abilities, usage } = await model.check(
    { ...account, model: 'sandbox-dutiful' },
    { timeoutMs: TIMEOUT_MS },
  )
  assert.deepEqual(
    steps.filter(({ ok }) => !ok),
    [],
  )
  assert.deepEqual(
    steps.map(({ name }) => name),
    ['Connection', 'Tools', 'Results of tools', 'End of a turn', 'Pictures'],
  )
  assert.deepEqual(abilities, {
    tools: true,
    forcedTool: true,
    jsonSchema: true,
    without: [],
    pictures: true,
  })
  assert.ok(usage.inputTokens > 0)
})

overAll('what the check couldn’t try is not shown as passed', async ({ model, account }) => {
  control.scriptModel([
    { calls: [{ name: 'answer', arguments: { text: 'A kettle.' } }] },
    { calls: [{ name: 'answer', arguments: { text: 'A kettle.' } }] },
  ])
  const { steps, abilities } = await model.check(
    { ...account, model: 'sandbox-script' },
    { timeoutMs: TIMEOUT_MS },
  )
  assert.deepEqual(
    steps.map(({ name, ok }) => [name, ok]),
    [
      ['Connection', true],
      ['Tools', true],
      ['Results of tools', null],
      ['End of a turn', true],
      ['Pictures', true],
    ],
  )
  assert.ok(abilities)
})

overAll(
  'pictures go along with what the customer said, and the check finds a model that can’t see',
  async ({ model, account }) => {
    const seeing = { ...account, model: 'sandbox-dutiful' }
    const pictures = [
      { mimeType: 'image/png', data: makePicture('a kettle').toString('base64'), name: 'one.png' },
      { mimeType: 'image/png', data: makePicture(null, [30, 70, 220]).toString('base64'), name: 'two.png' },
    ] as const
    const turns = [{ from: 'customer', text: 'What is this?', pictures }] as const
    await model.complete(seeing, { ...TASK, turns }, { timeoutMs: TIMEOUT_MS })
    const { heard, body } = control.modelCalls().at(-1)!
    assert.match(
      JSON.stringify(heard.entries),
      /What is this\?.*\[picture: a kettle\].*\[picture: the colour blue\]/,
    )
    assert.doesNotMatch(JSON.stringify(body), /one\.png/)
    control.addModelFault({ kind: 'refuse-pictures', times: null })
    const { steps, abilities } = await model.check(seeing, { timeoutMs: TIMEOUT_MS })
    assert.deepEqual([abilities?.pictures, abilities?.tools], [false, true])
    assert.deepEqual([steps.at(-1)!.name, steps.at(-1)!.ok], ['Pictures', null])
  },
)

overAll('the check leaves out what the server refuses', async ({ kind, model, account }) => {
  const parameter = kind === 'messages' ? 'tool_choice' : 'temperature'
  control.addModelFault({ kind: 'refuse-parameter', parameter, times: null })
  control.addModelFault({ kind: 'refuse-parameter', parameter: 'store', times: null })
  const dutiful = { ...account, model: 'sandbox-dutiful' }
  const { abilities } = await model.check(dutiful, { timeoutMs: TIMEOUT_MS })
  assert.ok(abilities?.without.includes(parameter))
  const completion = await model.complete({ ...dutiful, abilities }, TASK, { timeoutMs: TIMEOUT_MS })
  assert.equal(completion.is, 'calls')
})

overAll('the check says in words what is wrong', async ({ model, account }) => {
  const firstOf = async (more: Partial<ModelAccount>) => {
    const { steps, abilities } = await model.check({ ...account, ...more }, { timeoutMs: TIMEOUT_MS })
    assert.equal(abilities, null)
    return steps.find(({ ok }) => !ok)!.message
  }
  assert.match(await firstOf({ key: 'sk-wrong-0123456789' }), /^The provider rejected the API key/)
  assert.match(
    await firstOf({ model: 'gone' }),
    /doesn’t know this model.*The provider says: The model `gone`/,
  )
  assert.match(await firstOf({ baseUrl: 'https://127.0.0.1/v1' }), /aren’t allowed/)
  assert.match(await firstOf({ model: 'sandbox-talker' }), /answered in words/)
})

test('a model without tools is asked for JSON instead, and the loop is the same', async () => {
  const model = await loadModel('chat_completions')
  const account = accountOf('chat_completions', { model: 'sandbox-writer' })
  control.addModelFault({ kind: 'refuse-parameter', parameter: 'tools', times: null })
  const { abilities, steps } = await model.check(account, { timeoutMs: TIMEOUT_MS })
  assert.deepEqual(abilities && { ...abilities, without: [] }, {
    tools: false,
    forcedTool: false,
    jsonSchema: true,
    without: [],
    pictures: true,
  })
  assert.match(steps[1]!.message, /can’t use tools/)
  control.clearModel()
  const asWriter = { ...account, abilities }
  const first = await model.complete(asWriter, TASK, { timeoutMs: TIMEOUT_MS })
  const [call] = callsOf(first)
  assert.equal(call!.name, 'find_order')
  assert.ok(first.is === 'calls')
  const results = [{ callId: call!.callId, text: 'Sent on Monday.' }]
  const second = await model.complete(
    asWriter,
    { ...TASK, carry: first.carry, results },
    { timeoutMs: TIMEOUT_MS },
  )
  assert.match(String(endOf(second).text), /Sent on Monday/)
  assert.equal(
    control.modelCalls().every(({ body }) => body.tools === undefined),
    true,
  )
})

test('a turn can’t go on with another protocol', async () => {
  control.scriptModel([FIND])
  const chat = await loadModel('chat_completions')
  const first = await chat.complete(accountOf('chat_completions'), TASK, { timeoutMs: TIMEOUT_MS })
  assert.ok(first.is === 'calls')
  const messages = await loadModel('messages')
  await assert.rejects(
    messages.complete(accountOf('messages'), { ...TASK, carry: first.carry }, { timeoutMs: TIMEOUT_MS }),
    (error) => error instanceof ModelError && error.problem === 'badRequest',
  )
})
