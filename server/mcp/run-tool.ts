// One call of a tool: its limit, its transaction with the entry in the audit log, and its errors as results.
import { createHash } from 'node:crypto'
import { recordAudit } from '../domain/audit/record-audit.ts'
import { type Ctx, inTransaction } from '../platform/ctx/ctx.ts'
import { ApiError, type ErrorCode } from '../platform/errors.ts'
import { once } from '../platform/http/idempotency.ts'
import type { Taken } from '../platform/http/rate-limit.ts'
import { Refused } from './tool/refused.ts'
import type { Answer, Tool } from './tool/tool.ts'

/** Of one token, over all tools that write. */
export const WRITES_PER_MINUTE = 30

export type Caller = {
  ctx: Ctx
  /** Counts a write of the token. Null: no limits. */
  takeWrite: (() => Taken | Promise<Taken>) | null
}

/** Never throws for what the caller can do something about. */
export const runTool = async (
  { ctx, takeWrite }: Caller,
  tool: Tool,
  input: Record<string, unknown>,
  { client, nonce = null }: { client: string; nonce?: string | null },
): Promise<Answer> => {
  try {
    if (tool.hints.readOnlyHint) return await tool.run(ctx, input)
    const taken = await takeWrite?.()
    if (taken?.isExceeded)
      return { refusal: `Too many changes in a minute. Try again in ${taken.resetSeconds} seconds.` }
    const act = async (ctx: Ctx): Promise<Answer> => {
      const answer = await tool.run(ctx, input)
      await audit(ctx, tool, input, client)
      return answer
    }
    const answer = nonce === null ? await inTransaction(ctx, act) : await actOnce(ctx, nonce, act)
    return 'settle' in answer && answer.settle ? await answer.settle(ctx) : answer
  } catch (error) {
    return refusalOf(error, ctx, tool)
  }
}

export const refusalOf = (error: unknown, ctx: Ctx, { name }: Tool): { refusal: string } => {
  if (error instanceof Refused) return { refusal: error.message }
  if (error instanceof ApiError && error.status < 500) return { refusal: messageOf(error) }
  ctx.log.error({ err: error, tool: name }, 'a tool failed')
  return { refusal: 'Something went wrong on the server, and nothing was changed. Try again later.' }
}

/** A confirmation is used up in the transaction that acts on it. */
const actOnce = async (ctx: Ctx, nonce: string, act: (ctx: Ctx) => Promise<Answer>): Promise<Answer> => {
  let answer: Answer = {
    refusal: 'What the user confirmed was already done. Call again, to ask them once more.',
  }
  const requestHash = createHash('sha256').update(nonce).digest()
  const confirmation = { operation: 'mcp_confirmation', key: nonce, requestHash, isFinal: () => true }
  await once(ctx, confirmation, async (ctx) => {
    answer = await act(ctx)
    return true
  })
  return answer
}

const audit = (ctx: Ctx, { name, target }: Tool, input: Record<string, unknown>, client: string) =>
  recordAudit(ctx, {
    action: 'mcp.tool_called',
    ...(target && { target: { type: target.type, id: String(input[target.of]) } }),
    changes: { tool: { to: name }, client: { to: client } },
  })

/** What to do about it, where the message of the API doesn't say so. */
const NEXT: Partial<Record<ErrorCode, string>> = {
  CONVERSATION_NOT_FOUND: 'Look for it with find_conversations.',
  CONTACT_NOT_FOUND: 'Look for it with find_contacts.',
  CONTACT_GROUP_NOT_FOUND: 'See list_reference for groups.',
  WHATSAPP_TEMPLATE_NOT_FOUND: 'See list_reference for templates.',
  INVALID_AGENT: 'See list_reference for agents.',
  CURSOR_EXPIRED: 'Call again without a cursor.',
  INSUFFICIENT_SCOPE: 'An admin can create a token that may: Settings, API tokens.',
  WHATSAPP_SERVICE_WINDOW_CLOSED: 'Only a template can be sent now, by a person in the console.',
}

const messageOf = ({ code, message, details = [] }: ApiError): string =>
  [message, ...details.map(({ field, message }) => `${field} ${message}.`), NEXT[code]]
    .filter(Boolean)
    .join(' ')
