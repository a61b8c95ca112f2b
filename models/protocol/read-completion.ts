// What a protocol's answer means to whoever asked: the end, calls to carry out, a refusal, or nothing of use.
import { isObject, type JsonObject, readJson, textOf } from '../../channels/protocol/read-json.ts'
import type { Carry, Completion, CompletionRequest, ModelAbilities, OpenCall, ToolCall } from '../contract.ts'
import { modelError } from './error-of.ts'
import { offered, type WireAnswer, type WireCall } from './wire.ts'

/** In characters of JSON. More can't be meant. */
const ARGUMENTS_MAX = 64 * 1_024
const REFUSAL_MAX = 1_000

type Known = Pick<Completion, 'usage' | 'model' | 'requestId' | 'tries'>

/** Throws a ModelError. `before`: what went into the request. */
export const readCompletion = (
  request: CompletionRequest,
  answer: WireAnswer,
  known: Known,
  carryOf: (open: OpenCall[]) => Carry,
): Completion => {
  if (answer.stop === 'filtered') throw modelError('filtered', known)
  const calls = answer.calls.map((call) => readCall(request, call))
  const fine = calls.filter(({ problem }) => problem === null)
  if (answer.stop === 'refused' || (calls.length === 0 && answer.refusal !== null))
    return { ...known, is: 'refused', text: textOf(answer.refusal ?? answer.text, REFUSAL_MAX) }
  const final = fine.find(({ name }) => name === request.final.name)
  const others = fine.filter((call) => call.name !== request.final.name)
  if (final && others.length === 0)
    return {
      ...known,
      is: 'final',
      callId: final.callId,
      arguments: final.arguments,
      carry: carryOf(calls.map((call) => open(call, 'Not carried out: the turn had ended.'))),
    }
  if (answer.stop === 'length')
    throw modelError('badAnswer', { ...known, message: 'The answer was cut off at the limit of its length.' })
  if (calls.length === 0) throw modelError('badAnswer', { ...known, message: withoutCall(answer) })
  // It can't end the turn without the results that it asks for.
  const asked = final ? calls.filter(({ name }) => name !== request.final.name) : calls
  return {
    ...known,
    is: 'calls',
    calls: asked,
    carry: carryOf(
      calls.map((call) =>
        open(
          call,
          call.name === request.final.name
            ? 'Not accepted: call it alone, once you have the results of the other tools.'
            : 'Not carried out.',
        ),
      ),
    ),
  }
}

const open = ({ callId, problem }: ToolCall, otherwise: string): OpenCall => ({
  callId,
  unanswered: problem ?? otherwise,
})

const withoutCall = ({ text }: WireAnswer): string =>
  text.trim() === '' ? 'The model’s answer is empty.' : 'The model answered in words, without calling a tool.'

const readCall = (request: CompletionRequest, { callId, name, given }: WireCall): ToolCall => {
  const bad = (problem: string): ToolCall => ({ callId, name, arguments: {}, problem })
  const names = offered(request).map((tool) => tool.name)
  if (!names.includes(name)) return bad(`There is no tool of this name. You have: ${names.join(', ')}.`)
  const parsed = readArguments(given)
  return parsed
    ? { callId, name, arguments: parsed, problem: null }
    : bad('The arguments aren’t a JSON object.')
}

/** Undefined if they can't be read. Some servers send an object, and nothing for no arguments. */
export const readArguments = (given: unknown): JsonObject | undefined => {
  if (isObject(given)) return JSON.stringify(given).length <= ARGUMENTS_MAX ? given : undefined
  if (given === undefined || given === null) return {}
  if (typeof given !== 'string' || given.length > ARGUMENTS_MAX) return undefined
  if (given.trim() === '') return {}
  const read = readJson(given)
  return 'value' in read && isObject(read.value) ? read.value : undefined
}

/** A call that a model without working tools writes as text, as it was asked to or as it was trained to. */
export const readCallInText = (text: string): Omit<WireCall, 'callId'> | undefined => {
  const start = text.indexOf('{')
  const end = text.lastIndexOf('}')
  if (start < 0 || end < start || end - start > ARGUMENTS_MAX) return undefined
  const value = readArguments(text.slice(start, end + 1))
  const name = value?.tool ?? value?.name
  return typeof name === 'string'
    ? { name, given: value?.arguments ?? value?.parameters ?? value?.input }
    : undefined
}

export const hasTools = (abilities: ModelAbilities | null | undefined): boolean => abilities?.tools ?? true
