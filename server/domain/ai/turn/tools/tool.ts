import type { JsonObject, ToolSpec } from '../../../../../models/contract.ts'
import type { TurnInHand } from '../known/turn-in-hand.ts'

export type ToolAnswer = { text: string; isError?: boolean }

/**
 * Something that a model may do in a turn. No parameter names a contact, a conversation or an address: those are the
 * turn's own.
 */
export type AiTool = {
  spec: ToolSpec
  run: (turn: TurnInHand, given: JsonObject) => Promise<ToolAnswer> | ToolAnswer
}

export const textOf = (given: JsonObject, name: string, max: number): string => {
  const value = given[name]
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim().slice(0, max) : ''
}

export const failed = (text: string): ToolAnswer => ({ text, isError: true })
