// Makes a test of a turn: what the customer wrote until then, without what says who they are, and what came of it as
// what is expected. People change it before it is stored.
import { extname } from 'node:path'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { HAND_OVER_REASONS } from '../../../platform/db/tables.ts'
import { ApiError } from '../../../platform/errors.ts'
import { readChoiceToken } from '../../messages/choice-token.ts'
import { makeRedaction } from '../guards/redact.ts'
import { AI_STEP } from '../turn/take-turn.ts'
import { getTurn } from '../turn-log.ts'
import type { AiTurn } from '../turn-schema.ts'
import { findKeptTurn, type KeptTurn } from './kept-turn-queries.ts'
import {
  IN_A_ROW_MAX,
  LINE_MAX,
  LIST_MAX,
  MESSAGE_MAX,
  NAME_MAX,
  OWN_TURNS_MAX,
  type OwnTest,
} from './own-test-schema.ts'

/** Throws AI_TURN_NOT_FOUND, also if the actor may not see its conversation. */
export const proposeTest = async (ctx: Ctx, turnId: string): Promise<OwnTest> => {
  const turn = await getTurn(ctx, turnId)
  const kept = await findKeptTurn(ctx, turnId)
  if (!kept) throw new ApiError('AI_TURN_NOT_FOUND')
  const hide = makeHiding(kept)
  const turns = turnsOf(ctx, kept, hide)
  if (turns.length === 0) throw new ApiError('AI_TURN_NOT_FOUND')
  const name = (turns.at(-1)!.customer.at(-1) ?? '').replace(/\s+/g, ' ').slice(0, NAME_MAX).trim()
  return {
    name,
    channel: kept.channel,
    contact: kept.country === null ? {} : { country: kept.country },
    turns,
    expect: expectationOf(turn),
  }
}

/** As for models, and without the customer's addresses, numbers and names. */
const makeHiding = ({ name }: KeptTurn): ((text: string) => string) => {
  const { hide } = makeRedaction({ contacts: true })
  const names = [name ?? '', ...(name ?? '').split(/\s+/)].filter((part) => part.length >= NAME_PART_MIN)
  const pattern =
    names.length > 0 &&
    new RegExp(`(?<![\\p{L}\\p{N}])(?:${names.map(escapeForPattern).join('|')})(?![\\p{L}\\p{N}])`, 'giu')
  return (text) => {
    const hidden = hide(text)
    return pattern ? hidden.replace(pattern, '[name]') : hidden
  }
}

/** Shorter ones are words of some language. */
const NAME_PART_MIN = 3

const escapeForPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** What was written in a row is one turn. Taps on a flow's buttons weren't meant for the agent. */
const turnsOf = (
  { seal, workspaceId }: Ctx,
  { messages }: KeptTurn,
  hide: (text: string) => string,
): OwnTest['turns'] => {
  const turns: OwnTest['turns'] = []
  let isNew = true
  for (const { isCustomer, body, metadata, fileName } of messages) {
    const choice = (metadata?.choice as { id?: unknown } | undefined)?.id
    const token = choice === undefined ? null : readChoiceToken(seal, workspaceId, choice)
    if (!isCustomer) isNew = true
    else if (token === null || token.stepId === AI_STEP) {
      const text = hide(body).slice(0, MESSAGE_MAX).trim()
      const file = fileName === null ? {} : { file: `file${extname(fileName).slice(0, 10)}` }
      const last = turns.at(-1)
      if (text === '' && !('file' in file)) continue
      const customer = text === '' ? [] : [text]
      if (isNew || !last) turns.push({ customer, ...file })
      else {
        last.customer = [...last.customer, ...customer].slice(-IN_A_ROW_MAX)
        Object.assign(last, file)
      }
      isNew = false
    }
  }
  return turns.filter(({ customer }) => customer.length > 0).slice(-OWN_TURNS_MAX)
}

const expectationOf = ({ outcome, reason, sources }: AiTurn): OwnTest['expect'] => {
  const known = HAND_OVER_REASONS.find((one) => one === reason)
  if (outcome === 'handed_over') return { has: 'team', ...(known && { reason: known }) }
  if (outcome === 'silent') return { has: 'ai', decision: 'silent' }
  const titles = [...new Set(sources.map(({ title }) => title.slice(0, LINE_MAX)))].slice(0, LIST_MAX)
  return { has: 'ai', ...(titles.length > 0 && outcome === 'answered' && { mustUse: titles }) }
}
