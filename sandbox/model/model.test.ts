// The providers' own libraries talk to the sandbox's models, so that what our adapters meet here is what they meet there.
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { startSandbox } from '../sandbox.ts'

const KEY = 'sk-sandbox-0123456789'
const sandbox = await startSandbox({ modelKey: KEY })
const { control } = sandbox
after(() => sandbox.stop())
beforeEach(() => control.clearModel())

const openai = new OpenAI({ apiKey: KEY, baseURL: `${sandbox.url}/v1`, maxRetries: 0 })
const anthropic = new Anthropic({ apiKey: KEY, baseURL: sandbox.url, maxRetries: 0 })

const SCHEMA = {
  type: 'object' as const,
  properties: { order: { type: 'string' as const } },
  required: ['order'],
}
const CALL = { name: 'find_order', arguments: { order: '1182' } }
const MODEL = 'sandbox-script'

test('the library of OpenAI completes a chat, with a tool and its result', async () => {
  control.scriptModel([{ calls: [CALL] }, { text: 'It is on its way.' }])
  const tools = [{ type: 'function' as const, function: { name: 'find_order', parameters: SCHEMA } }]
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Where is order 1182?' },
  ]
  const first = await openai.chat.completions.create({
    model: MODEL,
    messages,
    tools,
    tool_choice: 'required',
  })
  const [choice] = first.choices
  assert.equal(choice!.finish_reason, 'tool_calls')
  const [call] = choice!.message.tool_calls!
  assert.ok(call?.type === 'function')
  assert.deepEqual(
    [call.function.name, JSON.parse(call.function.arguments)],
    ['find_order', { order: '1182' }],
  )
  assert.ok(first.usage!.prompt_tokens > 0 && first._request_id?.startsWith('req_'))
  const second = await openai.chat.completions.create({
    model: MODEL,
    tools,
    messages: [...messages, choice!.message, { role: 'tool', tool_call_id: call.id, content: 'sent' }],
  })
  assert.equal(second.choices[0]!.message.content, 'It is on its way.')
  assert.deepEqual(control.modelCalls().at(-1)!.heard.entries.at(-1), {
    from: 'result',
    callId: call.id,
    text: 'sent',
  })
})

test('the library of OpenAI gets a response, with reasoning that comes back', async () => {
  control.scriptModel([{ calls: [CALL], reasoning: 'Look first.' }, { text: 'It is on its way.' }])
  const tools = [
    {
      type: 'function' as const,
      name: 'find_order',
      parameters: SCHEMA,
      strict: false,
      description: 'Finds.',
    },
  ]
  const asked = { model: MODEL, tools, store: false, include: ['reasoning.encrypted_content' as const] }
  const first = await openai.responses.create({
    ...asked,
    input: 'Where is order 1182?',
    instructions: 'Be brief.',
  })
  const call = first.output.find((item) => item.type === 'function_call')
  assert.deepEqual([call!.name, JSON.parse(call!.arguments)], ['find_order', { order: '1182' }])
  const second = await openai.responses.create({
    ...asked,
    input: [
      { role: 'user', content: 'Where is order 1182?' },
      ...(first.output as OpenAI.Responses.ResponseInputItem[]),
      { type: 'function_call_output', call_id: call!.call_id, output: 'sent' },
    ],
  })
  assert.equal(second.output_text, 'It is on its way.')
})

test('the library of Anthropic gets a message, with thinking that comes back', async () => {
  control.scriptModel([{ calls: [CALL], reasoning: 'Look first.' }, { text: 'It is on its way.' }])
  const asked = {
    model: MODEL,
    max_tokens: 200,
    tools: [{ name: 'find_order', input_schema: SCHEMA }],
    system: 'Be brief.',
  }
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Where is order 1182?' }]
  const first = await anthropic.messages.create({ ...asked, messages, tool_choice: { type: 'any' } })
  assert.equal(first.stop_reason, 'tool_use')
  const use = first.content.find((block) => block.type === 'tool_use')
  assert.deepEqual([use!.name, use!.input], ['find_order', { order: '1182' }])
  const second = await anthropic.messages.create({
    ...asked,
    messages: [
      ...messages,
      { role: 'assistant', content: first.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: use!.id, content: 'sent' }] },
    ],
  })
  assert.deepEqual(
    second.content.map((block) => block.type === 'text' && block.text),
    ['It is on its way.'],
  )
})

test('models are listed and texts embedded as the libraries expect', async () => {
  const ofOpenai = (await openai.models.list()).data.map(({ id }) => id)
  const ofAnthropic = (await anthropic.models.list()).data.map(({ id }) => id)
  assert.ok(ofOpenai.includes(MODEL))
  assert.deepEqual(ofAnthropic, ofOpenai)
  const { data } = await openai.embeddings.create({
    model: 'any',
    input: ['Where is my parcel?', 'Where is my parcel now?', 'Do you sell tea?'],
  })
  const [one, near, far] = data.map(({ embedding }) => embedding)
  const dot = (a: number[], b: number[]) => a.reduce((sum, value, at) => sum + value * b[at]!, 0)
  assert.ok(dot(one!, near!) > dot(one!, far!) + 0.3)
})

test('each error is the one that the libraries know', async () => {
  const EXPECTED = [
    ['key', OpenAI.AuthenticationError, Anthropic.AuthenticationError],
    ['forbidden', OpenAI.PermissionDeniedError, Anthropic.PermissionDeniedError],
    ['no-model', OpenAI.NotFoundError, Anthropic.NotFoundError],
    ['too-long', OpenAI.BadRequestError, Anthropic.BadRequestError],
    ['rate-limit', OpenAI.RateLimitError, Anthropic.RateLimitError],
    ['server', OpenAI.InternalServerError, Anthropic.InternalServerError],
    ['overloaded', OpenAI.InternalServerError, Anthropic.InternalServerError],
  ] as const
  for (const [kind, ofOpenai, ofAnthropic] of EXPECTED) {
    control.addModelFault({ kind, times: 3 })
    await assert.rejects(
      openai.chat.completions.create({ model: MODEL, messages: [{ role: 'user', content: 'Hi' }] }),
      ofOpenai,
    )
    await assert.rejects(openai.responses.create({ model: MODEL, input: 'Hi' }), ofOpenai)
    await assert.rejects(
      anthropic.messages.create({ model: MODEL, max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }),
      ofAnthropic,
    )
  }
  const stranger = new OpenAI({ apiKey: 'sk-other', baseURL: `${sandbox.url}/v1`, maxRetries: 0 })
  await assert.rejects(stranger.models.list(), OpenAI.AuthenticationError)
})

test('a request that a provider would refuse is refused', async () => {
  const post = async (path: string, body: object): Promise<string> => {
    const response = await fetch(`${sandbox.url}/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'x-api-key': KEY, 'anthropic-version': '2023-06-01' },
      body: JSON.stringify(body),
    })
    const { error } = (await response.json()) as { error?: { message: string } }
    assert.equal(response.status, 400, JSON.stringify(body))
    return error!.message
  }
  const user = { role: 'user', content: 'Hi' }
  const calling = {
    role: 'assistant',
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
  }
  const chat = (more: object) => post('chat/completions', { model: MODEL, messages: [user], ...more })
  assert.match(await chat({ messages: [] }), /empty array/)
  assert.match(await chat({ colour: 'red' }), /Unknown parameter: 'colour'/)
  assert.match(await chat({ messages: [user, { role: 'robot', content: '' }] }), /Invalid value: 'robot'/)
  assert.match(await chat({ messages: [user, calling] }), /No tool output found/)
  assert.match(await chat({ messages: [user, calling, user] }), /No tool output found/)
  assert.match(
    await chat({ messages: [user, { role: 'tool', tool_call_id: 'a', content: '' }] }),
    /No tool call/,
  )
  assert.match(await chat({ tool_choice: 'required' }), /only allowed when/)
  assert.match(await chat({ temperature: 3 }), /temperature/)
  assert.match(await chat({ max_tokens: 5, max_completion_tokens: 5 }), /not supported/)
  const response = (more: object) => post('responses', { model: MODEL, input: [user], ...more })
  assert.match(
    await response({ input: [{ type: 'function_call_output', call_id: 'a', output: '' }] }),
    /No tool call/,
  )
  assert.match(
    await response({ input: [user, { type: 'reasoning', id: 'rs_1', summary: [] }] }),
    /not persisted/,
  )
  const message = (more: object) =>
    post('messages', { model: MODEL, max_tokens: 9, messages: [user], ...more })
  assert.match(await message({ max_tokens: undefined }), /max_tokens: Field required/)
  assert.match(await message({ messages: [{ role: 'assistant', content: 'Hi' }] }), /first message/)
  assert.match(
    await message({ messages: [{ role: 'user', content: [{ type: 'text', text: ' ' }] }] }),
    /non-empty/,
  )
  const use = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] }
  assert.match(await message({ messages: [user, use, user] }), /without `tool_result` blocks/)
})

test('the controls are there over HTTP too', async () => {
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${sandbox.url}/control/model${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    })
    assert.equal(response.status, 200)
    return response.json()
  }
  await call('POST', '/answers', { answers: [{ text: 'From the script.' }] })
  await call('POST', '/faults', { kind: 'rate-limit', retryAfterSeconds: 7 })
  const ask = () =>
    openai.chat.completions.create({ model: MODEL, messages: [{ role: 'user', content: 'Hi' }] })
  await assert.rejects(
    ask,
    (error) => error instanceof OpenAI.RateLimitError && error.headers.get('retry-after') === '7',
  )
  assert.equal((await ask()).choices[0]!.message.content, 'From the script.')
  const { calls } = (await call('GET', '/calls')) as { calls: { model: string }[] }
  assert.deepEqual(
    calls.map(({ model }) => model),
    [MODEL],
  )
  await call('DELETE', '')
  assert.deepEqual(await call('GET', '/calls'), { calls: [] })
})
