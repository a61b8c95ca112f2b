// What a flow gets of a response: the fields that the action names, and nothing else.
import { isObject, type RequestProblem, readJson } from '../../../channels/channel.ts'
import { KEPT_BYTES_MAX } from '../../../flow-engine/limits.ts'
import type { Json } from '../../../flow-engine/paths.ts'
import { isReservedName } from '../../../flow-engine/shapes.ts'
import type { KeptField } from '../../platform/db/tables.ts'

type Body = { contentType: string | null; text: string }

const REFUSALS = {
  notJson: 'The response isn’t valid JSON.',
  tooDeep: 'The JSON of the response is nested too deeply.',
  tooMany: 'The JSON of the response has too many values.',
} as const

/** A field that the response doesn't have is null. */
export const keepFields = (
  fields: readonly KeptField[],
  { contentType, text }: Body,
): { kept: Json } | { problem: RequestProblem } => {
  if (text.trim() === '')
    return refuse('RESPONSE_EMPTY', 'The response has no body, so there is nothing to keep.')
  const [type = ''] = (contentType ?? '').toLowerCase().trim().split(/[;\s]/, 1)
  if (type !== '' && !/^(application|text)\/([\w.+-]+\+)?json$/.test(type))
    return refuse('RESPONSE_NOT_JSON', `The response is ${type.slice(0, 60)}, not JSON.`)
  const read = readJson(text)
  if ('refusal' in read) return refuse('RESPONSE_NOT_JSON', REFUSALS[read.refusal])
  const kept = Object.fromEntries(fields.map(({ name, path }) => [name, clean(valueAt(read.value, path))]))
  if (Buffer.byteLength(JSON.stringify(kept)) > KEPT_BYTES_MAX)
    return refuse('RESPONSE_TOO_LARGE', `The kept fields are larger than ${KEPT_BYTES_MAX / 1_024} KiB.`)
  return { kept }
}

const refuse = (code: string, message: string) => ({ problem: { code, message } })

const valueAt = (root: unknown, path: string): unknown => {
  let value = root
  for (const name of path.split('.')) {
    if (Array.isArray(value)) value = /^\d{1,6}$/.test(name) ? value[Number(name)] : undefined
    else value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  }
  return value
}

/** Only what can be stored: no NUL, no lone surrogates, no names that objects inherit. */
const clean = (value: unknown): Json => {
  if (typeof value === 'string') return value.replaceAll('\0', '').toWellFormed()
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'boolean') return value
  if (Array.isArray(value)) return value.map(clean)
  if (!isObject(value)) return null
  const entries = Object.entries(value).filter(([name]) => !isReservedName(name))
  return Object.fromEntries(
    entries.map(([name, one]) => [name.replaceAll('\0', '').toWellFormed(), clean(one)]),
  )
}
