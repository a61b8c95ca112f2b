// Finds out what a model can do by having it do that: call a tool, use the result, and end the turn.
import {
  type Completion,
  type CompletionOptions,
  type CompletionRequest,
  type ModelAbilities,
  type ModelAccount,
  type ModelCheck,
  type ModelCheckStep,
  ModelError,
  OPTIONAL_PARAMETERS,
  type OptionalParameter,
  type Picture,
  type Usage,
} from '../contract.ts'
import type { Said } from './error-of.ts'
import type { Ask } from './wire.ts'

const OUTPUT_TOKENS_MAX = 500
/** Each refused parameter takes a request. */
const REQUESTS_MAX = 16

const ALL: ModelAbilities = { tools: true, forcedTool: true, jsonSchema: true, without: [] }
/** Of the same tasks, from what works best to what works everywhere. */
const WITHOUT_TOOLS: ModelAbilities = { ...ALL, tools: false, forcedTool: false }
const WITHOUT_SCHEMA: ModelAbilities = { ...WITHOUT_TOOLS, jsonSchema: false }

/** What the tool answers, so that it shows whether the model reads results. */
const CONTENT = 'a blue kettle'

const TASK: CompletionRequest = {
  system:
    'This is a test of the connection. Use the tool “look_in_box” to find out what is in the box, then call “answer” with what it said.',
  turns: [{ from: 'customer', text: 'What is in box 7?' }],
  tools: [
    {
      name: 'look_in_box',
      description: 'Says what is in a box.',
      parameters: {
        type: 'object',
        properties: { box: { type: 'string', description: 'The number of the box.' } },
        required: ['box'],
        additionalProperties: false,
      },
    },
  ],
  final: {
    name: 'answer',
    description: 'Ends the turn with an answer to the customer.',
    parameters: {
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
      additionalProperties: false,
    },
  },
  carry: null,
  results: [],
  mustEnd: false,
  outputTokensMax: OUTPUT_TOKENS_MAX,
  customerKey: 'check',
}

/** 64 × 64, orange. */
const COLOURED: Picture = {
  mimeType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAT0lEQVR42u3PQQkAAAgEsAthbOv6N4JvYbACy3S9FgEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQGBywILJFF4bF/9KAAAAABJRU5ErkJggg==',
  name: 'orange.png',
}

type Probe = {
  ask: Ask
  account: ModelAccount
  options: CompletionOptions
  requests: number
  usage: Usage
}
type Outcome =
  | { ok: true; completion: Completion; abilities: ModelAbilities }
  | { ok: false; error: ModelError; said: Said | null; abilities: ModelAbilities }

/** Never throws. */
export const checkModel = async (
  ask: Ask,
  account: ModelAccount,
  { timeoutMs, signal }: CompletionOptions,
): Promise<ModelCheck> => {
  const until = performance.now() + timeoutMs
  const options = {
    ...(signal && { signal }),
    get timeoutMs() {
      return Math.max(1, Math.floor(until - performance.now()))
    },
  }
  const usage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0 }
  const probe: Probe = { ask, account, options, requests: 0, usage }
  const first = await tryAll(probe)
  const steps = [connectionStep(account, first)]
  if (!first.ok) return { steps, abilities: null, usage }
  const { abilities, completion } = first
  steps.push(toolStep(abilities))
  const read = await readResult(probe, abilities, completion)
  steps.push(read)
  const ended = await tryOnce(probe, abilities, { ...TASK, mustEnd: true })
  const forcedTool = abilities.tools && ended.ok && ended.completion.is === 'final'
  const end = endStep(ended)
  steps.push(end)
  if (read.ok === false || !end.ok) return { steps, abilities: null, usage }
  const pictures = await seesPicture(probe, ended.abilities)
  steps.push(pictureStep(pictures))
  return { steps, abilities: { ...ended.abilities, forcedTool, pictures }, usage }
}

/** With tools, or else as JSON. The error is that of the first try: the others are guesses. */
const tryAll = async (probe: Probe): Promise<Outcome> => {
  const first = await tryOnce(probe, ALL, TASK)
  if (first.ok || !MAY_LACK_TOOLS.has(first.error.problem)) return first
  for (const abilities of [WITHOUT_TOOLS, WITHOUT_SCHEMA]) {
    const next = await tryOnce(probe, { ...abilities, without: first.abilities.without }, TASK)
    if (next.ok) return next
  }
  return first
}

const MAY_LACK_TOOLS = new Set<ModelError['problem']>(['badAnswer', 'badRequest'])

/** Leaves out what the server says that it doesn't take. */
const tryOnce = async (
  probe: Probe,
  abilities: ModelAbilities,
  request: CompletionRequest,
): Promise<Outcome> => {
  let said: Said | null = null
  try {
    probe.requests += 1
    const completion = await probe.ask({ ...probe.account, abilities }, request, {
      ...probe.options,
      onSaid: (given) => {
        said = given
      },
    })
    addUsage(probe.usage, completion.usage)
    return { ok: true, completion, abilities }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    addUsage(probe.usage, error.usage)
    const refused = error.problem === 'badRequest' && said ? refusedIn(said, abilities) : undefined
    if (!refused || probe.requests >= REQUESTS_MAX) return { ok: false, error, said, abilities }
    return tryOnce(probe, { ...abilities, without: [...abilities.without, refused] }, request)
  }
}

const refusedIn = ({ text, parameter }: Said, { without }: ModelAbilities): OptionalParameter | undefined =>
  OPTIONAL_PARAMETERS.find(
    (name) =>
      !without.includes(name) &&
      (parameter === name ||
        // Such as “user” is also a word.
        (/_|temp/.test(name)
          ? text.includes(name)
          : [`'${name}'`, `"${name}"`, `\`${name}\``].some((one) => text.includes(one)))),
  )

const addUsage = (sum: Usage, more: Usage | null): void => {
  sum.inputTokens += more?.inputTokens ?? 0
  sum.cachedTokens += more?.cachedTokens ?? 0
  sum.outputTokens += more?.outputTokens ?? 0
}

const failed = (name: string, { error, said }: Outcome & { ok: false }): ModelCheckStep => ({
  name,
  ok: false,
  message:
    said && error.problem !== 'badKey' ? `${error.message} The provider says: ${said.text}` : error.message,
})

const connectionStep = ({ model, key }: ModelAccount, outcome: Outcome): ModelCheckStep =>
  outcome.ok
    ? {
        name: 'Connection',
        ok: true,
        message: `${key === null ? '' : 'The key is accepted, and '}${model} answers.`,
      }
    : failed('Connection', outcome)

const toolStep = ({ tools, jsonSchema }: ModelAbilities): ModelCheckStep => ({
  name: 'Tools',
  ok: true,
  message: tools
    ? 'The model can use tools.'
    : `The model can’t use tools. It is asked for JSON instead${jsonSchema ? '' : ', without a schema'}; expect more hand-overs.`,
})

const readResult = async (
  probe: Probe,
  abilities: ModelAbilities,
  completion: Completion,
): Promise<ModelCheckStep> => {
  const name = 'Results of tools'
  if (completion.is !== 'calls')
    return {
      name,
      ok: null,
      message:
        'The model answered without looking in the box, so this couldn’t be tried. Check again, or choose a more capable model if it stays so.',
    }
  const results = completion.calls.map(({ callId }) => ({ callId, text: `In the box: ${CONTENT}` }))
  const outcome = await tryOnce(probe, abilities, { ...TASK, carry: completion.carry, results })
  if (!outcome.ok) return failed(name, outcome)
  const isRead =
    outcome.completion.is === 'final' && /kettle/i.test(JSON.stringify(outcome.completion.arguments))
  return isRead
    ? { name, ok: true, message: 'The model uses what a tool returns.' }
    : { name, ok: false, message: 'The model didn’t use what a tool returned. Choose a more capable model.' }
}

/** One colour all over, so that a right answer was seen and not guessed from a name. */
const seesPicture = async (probe: Probe, abilities: ModelAbilities): Promise<boolean> => {
  const outcome = await tryOnce(probe, abilities, {
    ...TASK,
    system:
      'This is a test of the connection. Call “answer” with the name of the colour that the picture has all over.',
    turns: [{ from: 'customer', text: 'Which colour is this?', pictures: [COLOURED] }],
    tools: [],
    mustEnd: true,
  })
  if (!outcome.ok || outcome.completion.is !== 'final') return false
  return /\b(orange|amber)\b/i.test(JSON.stringify(outcome.completion.arguments))
}

const pictureStep = (pictures: boolean): ModelCheckStep => ({
  name: 'Pictures',
  // It does without: an agent without eyes is told which files there are.
  ok: pictures ? true : null,
  message: pictures
    ? 'The model can see pictures.'
    : 'The model can’t see pictures. It is told that there is one, and hands over if the question depends on it.',
})

const endStep = (outcome: Outcome): ModelCheckStep => {
  const name = 'End of a turn'
  if (!outcome.ok) return failed(name, outcome)
  if (outcome.completion.is === 'final')
    return { name, ok: true, message: 'The model ends a turn when it must.' }
  return {
    name,
    ok: false,
    message: 'The model doesn’t end a turn when it must. Choose a more capable model.',
  }
}
