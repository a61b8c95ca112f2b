// Texts as vectors, against the sandbox.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { allowOutbound } from '../channels/protocol/outbound.ts'
import { startSandbox } from '../sandbox/sandbox.ts'
import { EMBED_TEXTS_MAX, type ModelAccount, ModelError } from './contract.ts'
import { loadModel } from './index.ts'

const KEY = 'sk-test-4f9d2c81e7a6b350'
const sandbox = await startSandbox({ modelKey: KEY })
const { control } = sandbox
after(() => sandbox.stop())
before(() => allowOutbound(sandbox.url))
beforeEach(() => control.clearModel())

const TIMEOUT_MS = 30_000
const KINDS = ['chat_completions', 'responses'] as const
const ACCOUNT: ModelAccount = {
  baseUrl: `${sandbox.url}/v1`,
  key: KEY,
  model: 'sandbox-dutiful',
  embeddingModel: 'any',
}

const embed = async (kind: (typeof KINDS)[number], texts: readonly string[], more = {}) => {
  const model = await loadModel(kind)
  return model.embed!({ ...ACCOUNT, ...more }, texts, { timeoutMs: TIMEOUT_MS })
}

const dot = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, value, at) => sum + value * other[at]!, 0)

for (const kind of KINDS) {
  test(`${kind}: near texts have near vectors, each of length 1`, async () => {
    const { vectors, usage } = await embed(kind, [
      'Where is my parcel?',
      'Where is my parcel now?',
      'Do you sell tea?',
    ])
    for (const vector of vectors) assert.ok(Math.abs(dot(vector, vector) - 1) < 1e-5)
    assert.ok(dot(vectors[0]!, vectors[1]!) > dot(vectors[0]!, vectors[2]!) + 0.3)
    assert.ok(usage!.inputTokens > 0)
  })

  test(`${kind}: each failure has its meaning`, async () => {
    const MEANINGS = [
      ['key', 'badKey'],
      ['rate-limit', 'tooMany'],
      ['too-long', 'tooLong'],
      ['malformed', 'badAnswer'],
      ['empty-choices', 'badAnswer'],
      ['wrong-types', 'badAnswer'],
    ] as const
    for (const [fault, problem] of MEANINGS) {
      control.clearModel()
      control.addModelFault({ kind: fault, wire: 'embeddings', retryAfterSeconds: 77, times: null })
      await assert.rejects(
        embed(kind, ['Hello']),
        (error) => error instanceof ModelError && error.problem === problem,
        fault,
      )
    }
    control.clearModel()
    await assert.rejects(
      embed(kind, ['Hello'], { embeddingModel: null }),
      (error) => error instanceof ModelError && error.problem === 'noModel',
    )
    await assert.rejects(embed(kind, Array(EMBED_TEXTS_MAX + 1).fill('Hello')), RangeError)
  })
}

test('the check tries the embedding model, and the model can be used without it', async () => {
  const model = await loadModel('chat_completions')
  const good = await model.check(ACCOUNT, { timeoutMs: TIMEOUT_MS })
  assert.deepEqual(good.steps.at(-1), {
    name: 'Embeddings',
    ok: true,
    message: 'any returns vectors of 256 numbers.',
  })
  control.addModelFault({ kind: 'no-model', wire: 'embeddings', times: null })
  const bad = await model.check(ACCOUNT, { timeoutMs: TIMEOUT_MS })
  assert.deepEqual([bad.steps.at(-1)!.name, bad.steps.at(-1)!.ok], ['Embeddings', false])
  assert.match(bad.steps.at(-1)!.message, /The provider says/)
  assert.ok(bad.abilities)
})

test('Messages has no embeddings, and the check says so if a model for them is entered', async () => {
  const model = await loadModel('messages')
  assert.equal(model.embed, undefined)
  const account = { ...ACCOUNT, baseUrl: sandbox.url }
  const { steps } = await model.check(account, { timeoutMs: TIMEOUT_MS })
  assert.deepEqual([steps.at(-1)!.name, steps.at(-1)!.ok], ['Embeddings', false])
})
