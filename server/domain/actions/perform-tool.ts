// One call of an action that is a tool of an MCP server: what it answers is one text, which is data.
import { KEPT_BYTES_MAX } from '../../../flow-engine/limits.ts'
import type { CalledTool } from '../../../mcp-client/contract.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { callTool } from '../mcp-servers/call-tool.ts'
import type { StoredTool } from '../mcp-servers/queries.ts'
import { type CallResult, notAnswered } from './call-result.ts'
import type { ParameterValues } from './read-parameters.ts'

/** Of what is kept. */
export const RESULT_FIELD = 'result'
const PREVIEW_MAX = 4_000

const CHANGED = {
  code: 'TOOL_CHANGED',
  message: 'The tool isn’t what was approved any more, so it was switched off and not called.',
}

/** Never throws for what its server can do. Takes at most ten seconds. */
export const performTool = async (
  ctx: Ctx,
  tool: StoredTool,
  values: ParameterValues,
  { isRepeatable }: { isRepeatable: boolean },
): Promise<CallResult> => resultOf(await callTool(ctx, tool, values), isRepeatable)

const resultOf = (called: CalledTool, isRepeatable: boolean): CallResult => {
  switch (called.is) {
    case 'changed':
      return notAnswered('failed', CHANGED)
    case 'refused':
      return {
        ...notAnswered(called.status === 404 ? 'failed' : 'refused', called.problem),
        status: called.status,
      }
    case 'unanswered': {
      const isUnknown = called.isSent && !isRepeatable
      return { ...notAnswered(isUnknown ? 'unknown' : 'failed', called.problem), canRepeat: !isUnknown }
    }
    default: {
      const preview = called.text.slice(0, PREVIEW_MAX)
      if (called.isError)
        return {
          ...notAnswered('refused', { code: 'TOOL_ERROR', message: 'The tool reported an error.' }),
          preview,
        }
      return { ...notAnswered('done', null), kept: { [RESULT_FIELD]: cut(called.text) }, preview }
    }
  }
}

/** As much of it as may be kept. */
const cut = (text: string): string => {
  let end = text.length
  const bytes = () => Buffer.byteLength(JSON.stringify({ [RESULT_FIELD]: text.slice(0, end) }))
  for (let size = bytes(); size > KEPT_BYTES_MAX; size = bytes())
    end = Math.min(end - 1, Math.floor((end * KEPT_BYTES_MAX) / size))
  return text.slice(0, end).toWellFormed()
}
