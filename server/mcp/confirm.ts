// A question to the person before a tool acts, where the client says that it can ask. The answer comes with the call
// made again; what was asked comes back as a signed state, which holds for this token, this call and once.
import { createHash } from 'node:crypto'
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { refusalOf } from './run-tool.ts'
import type { Tool } from './tool/tool.ts'

const ANSWER = 'confirmed'
/** How long a person may think about it. */
const ASKED_SECONDS = 600

type Asked = { nonce: string; of: string }
export type Confirmations = RequestStateCodec<Asked>

/** The key is the token's own, so a state that was made for another token is refused by the library. */
export const makeConfirmations = ({ seal, workspaceId, actor }: Ctx): Confirmations =>
  createRequestStateCodec<Asked>({
    key: seal.sign('mcp confirmation', `${workspaceId}\n${actor.type === 'token' ? actor.tokenId : ''}`),
    ttlSeconds: ASKED_SECONDS,
  })

type Confirmed =
  | { ask: InputRequiredResult }
  | { refusal: string }
  /** Null: there was nothing to ask, or nobody. */
  | { nonce: string | null }

export const confirm = async (
  ctx: Ctx,
  { tool, input, mcpReq }: { tool: Tool; input: Record<string, unknown>; mcpReq: ServerContext['mcpReq'] },
  confirmations: Confirmations,
): Promise<Confirmed> => {
  if (!tool.question || !canAsk(mcpReq.envelope)) return { nonce: null }
  const of = createHash('sha256')
    .update(JSON.stringify([tool.name, input]))
    .digest('base64url')
  const asked = mcpReq.requestState<Asked>()
  const answer = inputResponse(mcpReq.inputResponses, ANSWER)
  if (asked !== undefined && answer.kind === 'elicit') {
    if (asked.of !== of) return { refusal: 'This isn’t what the user confirmed. Call again, to ask them.' }
    if (answer.action === 'accept') return { nonce: asked.nonce }
    return { refusal: 'The user didn’t confirm it, and nothing was done. Ask them what they want instead.' }
  }
  let question: string | null
  try {
    question = await tool.question(ctx, input)
  } catch (error) {
    return refusalOf(error, ctx, tool)
  }
  if (question === null) return { nonce: null }
  const message = { message: question, requestedSchema: { type: 'object' as const, properties: {} } }
  return {
    ask: inputRequired({
      inputRequests: { [ANSWER]: inputRequired.elicit(message) },
      requestState: await confirmations.mint({ nonce: ctx.newId(), of }),
    }),
  }
}

/** Since 2026 a client says with each request what it can. Without a mode, it can show forms. */
const canAsk = (envelope: object | undefined): boolean => {
  const capabilities = envelope && (envelope as Record<string, unknown>)[CLIENT_CAPABILITIES_META_KEY]
  const { elicitation } = (capabilities ?? {}) as { elicitation?: { form?: object; url?: object } }
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}
