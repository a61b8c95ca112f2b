// What the faults make of an answer.
import type { FastifyReply } from 'fastify'
import { type Json, objectOf } from '../http.ts'
import type { Answer, Call, Heard, Wire } from './exchange.ts'
import { ANSWER_KINDS } from './faults.ts'

const MANY_CALLS = 40
const HUGE_BYTES = 10 * 1024 * 1024
const DEPTH = 100_000
/** NUL, half a character, an invisible tag and a turn of the direction. */
const ODD = String.fromCodePoint(0, 0xd800, 0xe0041, 0x202e)

type AnswerKind = (typeof ANSWER_KINDS)[number]
const isAnswerKind = (kind: string | undefined): kind is AnswerKind =>
  ANSWER_KINDS.some((one) => one === kind)

export const spoilAnswer = (heard: Heard, answer: Answer, kind: string | undefined): Answer =>
  isAnswerKind(kind) ? SPOILERS[kind](answer, heard) : answer

const withCalls = (answer: Answer, change: (call: Call) => Call): Answer => ({
  ...answer,
  calls: (answer.calls ?? []).map(change),
})

const anyCall = ({ tools }: Heard, name = tools[0]?.name ?? 'none'): Call => ({ name, arguments: {} })

const SPOILERS: Record<AnswerKind, (answer: Answer, heard: Heard) => Answer> = {
  'words-only': () => ({ text: 'Let me think about that.' }),
  'empty-content': () => ({ text: '' }),
  'reasoning-only': () => ({ reasoning: 'The customer wants something.' }),
  length: (answer) => ({ ...withCalls(answer, (call) => ({ ...call, arguments: '{"te' })), stop: 'length' }),
  'content-filter': () => ({ text: '', stop: 'filtered' }),
  refusal: () => ({ refusal: 'I can’t help with that.' }),
  'unknown-tool': (answer) => withCalls(answer, (call) => ({ ...call, name: 'delete_everything' })),
  'broken-arguments': (answer) => withCalls(answer, (call) => ({ ...call, arguments: '{"text": "un' })),
  'list-arguments': (answer) => withCalls(answer, (call) => ({ ...call, arguments: [1, 2] })),
  'call-as-text': ({ calls: [call] = [] }) => ({
    text: `\`\`\`json\n${JSON.stringify({ name: call?.name, arguments: call?.arguments })}\n\`\`\``,
  }),
  'many-calls': (_, heard) => ({ calls: Array.from({ length: MANY_CALLS }, () => anyCall(heard)) }),
  'two-finals': (answer) => ({ ...answer, calls: [...(answer.calls ?? []), ...(answer.calls ?? [])] }),
  'final-and-tool': (answer, heard) => ({ ...answer, calls: [...(answer.calls ?? []), anyCall(heard)] }),
  'text-beside': (answer) => ({ ...answer, text: 'One moment please.' }),
  'duplicate-ids': (answer, heard) => ({
    ...answer,
    calls: [...(answer.calls ?? []), anyCall(heard)].map((call) => ({ ...call, id: 'call_same' })),
  }),
  'bad-ids': (answer) => withCalls(answer, (call) => ({ ...call, id: 'call with spaces: ä' })),
  'odd-characters': (answer) =>
    withCalls(answer, (call) => ({
      ...call,
      arguments: Object.fromEntries(
        Object.entries(objectOf(call.arguments)).map(([name, value]) => [
          name,
          typeof value === 'string' ? value + ODD : value,
        ]),
      ),
    })),
}

/** Sends the body, or what a fault makes of it. */
export const sendBody = (
  reply: FastifyReply,
  wire: Wire,
  body: Json,
  { kind, key }: { kind: string | undefined; key: string },
): FastifyReply => {
  const json = JSON.stringify(kind === 'key-quoted' ? quoteKey(wire, body, key) : spoilBody(wire, body, kind))
  reply.type('application/json')
  if (kind === 'malformed') return reply.send(`${json.slice(0, -1)},,}`)
  if (kind === 'truncated') return reply.send(json.slice(0, json.length / 2))
  if (kind === 'huge') return reply.send(`${json.slice(0, -1)},"padding":"${'x'.repeat(HUGE_BYTES)}"}`)
  if (kind === 'deep')
    return reply.send(`${json.slice(0, -1)},"extra":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`)
  if (kind === 'many-values') return reply.send(`${json.slice(0, -1)},"extra":[${'0,'.repeat(200_000)}0]}`)
  if (kind === 'html')
    return reply.type('text/html').send('<!doctype html><title>Welcome</title><p>It works!')
  if (kind === 'empty-body') return reply.send('')
  if (kind !== 'cut') return reply.send(json)
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, { 'content-type': 'application/json', 'content-length': json.length + 1_000 })
  raw.write(json.slice(0, json.length / 2), () => raw.socket?.destroy())
  return reply
}

const spoilBody = (wire: Wire, body: Json, kind: string | undefined): Json => {
  const list = 'data' in body ? 'data' : { chat: 'choices', responses: 'output', messages: 'content' }[wire]
  switch (kind) {
    case 'no-usage':
      return { ...body, usage: undefined }
    case 'odd-usage':
      return {
        ...body,
        usage: { prompt_tokens: -5, input_tokens: 'many', completion_tokens: 1e300, output_tokens: {} },
      }
    case 'empty-choices':
      return { ...body, [list]: [] }
    case 'wrong-types':
      return {
        ...body,
        [list]:
          wire === 'chat' ? [{ message: { content: 7, tool_calls: { a: 1 } } }] : [null, 3, { type: 5 }],
      }
    case 'unknown-stop':
      return renameStop(wire, body)
    case 'arguments-as-object':
      return asObjects(wire, body)
    default:
      return body
  }
}

/** As a careless gateway does. */
const quoteKey = (wire: Wire, body: Json, key: string): Json => ({
  ...body,
  model: key,
  id: key,
  ...(wire === 'messages' && { stop_sequence: key }),
})

const renameStop = (wire: Wire, body: Json): Json => {
  if (wire === 'responses') return { ...body, status: 'resting' }
  if (wire === 'messages') return { ...body, stop_reason: 'tea_time' }
  const [choice] = body.choices as Json[]
  return { ...body, choices: [{ ...choice, finish_reason: 'eos' }] }
}

const asObjects = (wire: Wire, body: Json): Json => {
  const parsed = (call: Json): Json => ({ ...call, arguments: JSON.parse(String(call.arguments)) })
  if (wire === 'responses')
    return {
      ...body,
      output: (body.output as Json[]).map((item) => (item.type === 'function_call' ? parsed(item) : item)),
    }
  if (wire === 'messages') return body
  const [choice] = body.choices as Json[]
  const message = objectOf(choice?.message)
  const calls = (message.tool_calls ?? []) as Json[]
  return {
    ...body,
    choices: [
      {
        ...choice,
        message: {
          ...message,
          tool_calls: calls.map((call) => ({ ...call, function: parsed(objectOf(call.function)) })),
        },
      },
    ],
  }
}
