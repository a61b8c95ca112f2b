// One call of a tool: its limit, its transaction with the entry in the audit log, and its errors as results.
import { recordAudit } from '../domain/audit/record-audit.ts'
import { type Ctx, inTransaction } from '../platform/ctx/ctx.ts'
import { ApiError, type ErrorCode } from '../platform/errors.ts'
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
  client: string,
): Promise<Answer> => {
  try {
    if (tool.hints.readOnlyHint) return await tool.run(ctx, input)
    const taken = await takeWrite?.()
    if (taken?.isExceeded)
      return { refusal: `Too many changes in a minute. Try again in ${taken.resetSeconds} seconds.` }
    const answer = await inTransaction(ctx, async (ctx) => {
      const answer = await tool.run(ctx, input)
      await audit(ctx, tool, input, client)
      return answer
    })
    return 'settle' in answer && answer.settle ? await answer.settle(ctx) : answer
  } catch (error) {
    if (error instanceof Refused) return { refusal: error.message }
    if (error instanceof ApiError && error.status < 500) return { refusal: messageOf(error) }
    ctx.log.error({ err: error, tool: tool.name }, 'a tool failed')
    return { refusal: 'Something went wrong on the server, and nothing was changed. Try again later.' }
  }
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
