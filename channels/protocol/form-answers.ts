// The answers in a WhatsApp form or a Telegram mini app as one readable line. They are sent as JSON text; a mini app
// may send anything.
import { lineOf } from './read-json.ts'

const ANSWERS_MAX = 20
const ANSWER_MAX = 200
const DEPTH_MAX = 3

/** `size: M, toppings: ham + cheese`. Without WhatsApp's form token. Null if there is nothing to read. */
export const readableAnswers = (answers: string | null): string | null => {
  let parsed: unknown
  try {
    parsed = JSON.parse(answers ?? '')
  } catch {
    return lineOf(answers, ANSWER_MAX)
  }
  return readable(parsed, DEPTH_MAX)
}

const readable = (value: unknown, depth: number): string | null => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string' || typeof value === 'number') return lineOf(String(value), ANSWER_MAX)
  if (value === null || typeof value !== 'object' || depth === 0) return null
  if (Array.isArray(value))
    return (
      value
        .slice(0, ANSWERS_MAX)
        .flatMap((one) => readable(one, depth - 1) ?? [])
        .join(' + ') || null
    )
  return (
    Object.entries(value)
      .filter(([name]) => name !== 'flow_token')
      .flatMap(([name, one]) => {
        const text = readable(one, depth - 1)
        return text === null ? [] : [`${lineOf(name, ANSWER_MAX) ?? ''}: ${text}`]
      })
      .slice(0, ANSWERS_MAX)
      .join(', ') || null
  )
}
