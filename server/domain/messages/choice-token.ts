// The token in each button of a flow's question. It names the run, so that an old button is understood, and it is
// signed, so that nobody can answer for another run.
import { timingSafeEqual } from 'node:crypto'
import type { Seal } from '../../platform/seal.ts'

/** The option of a question: of which run and step, and its number there. */
export type Choice = { runId: string; stepId: string; number: number }

/** Telegram's limit for the data of a button, in bytes; the other channels allow more. */
export const CHOICE_TOKEN_BYTES_MAX = 64

const PURPOSE = 'choice 1'
const SIGNATURE_LENGTH = 8
const TOKEN = /^(f1\.(c[0-9a-z]{24})\.(s[a-z0-9]{1,11})\.(0|[1-9][0-9]{0,2}))\.([A-Za-z0-9_-]{8})$/

const textOf = (workspaceId: string, text: string): string => `${workspaceId}\n${text}`

/** `f1.<run>.<step>.<number>.<signature>`, at most 55 ASCII characters. The number is 0 to 999. */
export const choiceToken = (
  seal: Seal,
  { workspaceId, runId, stepId, number }: Choice & { workspaceId: string },
): string => {
  const text = `f1.${runId}.${stepId}.${number}`
  return `${text}.${seal.sign(PURPOSE, textOf(workspaceId, text)).slice(0, SIGNATURE_LENGTH)}`
}

/** What a token names; null for any other text, and for a token that this workspace did not give out. */
export const readChoiceToken = (seal: Seal, workspaceId: string, token: unknown): Choice | null => {
  const [, text, runId, stepId, number, signature] =
    (typeof token === 'string' && token.length <= CHOICE_TOKEN_BYTES_MAX && TOKEN.exec(token)) || []
  if (!text || !runId || !stepId || !number || !signature) return null
  const isRight = seal
    .signatures(PURPOSE, textOf(workspaceId, text))
    .some((right) => timingSafeEqual(Buffer.from(signature), Buffer.from(right.slice(0, SIGNATURE_LENGTH))))
  return isRight ? { runId, stepId, number: Number(number) } : null
}
