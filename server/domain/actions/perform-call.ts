// One call of an action: checks the values, makes the request, and says what it means to a flow.
import { type GuardedResult, requestGuarded } from '../../../channels/channel.ts'
import type { Json } from '../../../flow-engine/paths.ts'
import { outcomeOf } from '../../../flow-engine/simulate.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { type Seal, SealError } from '../../platform/seal.ts'
import { inSpan } from '../../platform/tracing.ts'
import { type CallResult, notAnswered } from './call-result.ts'
import { keepFields } from './keep-fields.ts'
import { performTool } from './perform-tool.ts'
import type { StoredAction } from './queries.ts'
import { type ParameterValues, readParameters } from './read-parameters.ts'
import { renderUrl } from './url-template.ts'

const RESPONSE_BYTES_MAX = 64 * 1_024
const PREVIEW_MAX = 4_000
const WITHOUT_BODY = new Set(['GET', 'DELETE'])
/** Trying again would end the same way. */
const FINAL_CODES = new Set(['ADDRESS_NOT_ALLOWED', 'REQUEST_INVALID'])

type How = {
  /** The same for each try of a call. */
  idempotencyKey: string
  /** Reads the response even if nothing of it is kept. */
  hasPreview?: boolean
}

/** Never throws for what an action, its values or the other side can do. Takes at most the action's `timeoutMs`. */
export const performCall = async (
  ctx: Ctx,
  action: StoredAction,
  given: Readonly<Record<string, Json>>,
  { idempotencyKey, hasPreview = false }: How,
): Promise<CallResult> => {
  const read = readParameters(action.parameters, given)
  if ('problem' in read) return notAnswered('refused', { code: 'PARAMETER_INVALID', message: read.problem })
  if (action.tool) return performTool(ctx, action.tool, read.values, action)
  const address = addressOf(action, read.values)
  if ('problem' in address)
    return notAnswered('refused', { code: 'PARAMETER_INVALID', message: address.problem })
  const headers = openHeaders(ctx.seal, action)
  if (!headers)
    return notAnswered('failed', {
      code: 'SECRETS_UNREADABLE',
      message: 'The headers can’t be decrypted because SECRET_KEY has changed. Enter them again.',
    })
  const { method, timeoutMs, isRepeatable, keep } = action
  const request = {
    method,
    url: address.url,
    headers: { ...headers, accept: 'application/json', 'idempotency-key': idempotencyKey },
    body: WITHOUT_BODY.has(method) ? null : JSON.stringify(address.rest),
    timeoutMs,
    isRepeatable,
    bytesMax: keep.length > 0 || hasPreview ? RESPONSE_BYTES_MAX : null,
  }
  const attributes = { 'foyer.workspace_id': ctx.workspaceId, 'foyer.action_id': action.id }
  const result = await inSpan('call action', { kind: 'client', attributes }, async (span) => {
    const result = await requestGuarded(request)
    if (result.is === 'unanswered') span.fail(result.problem.code)
    return result
  })
  return resultOf(action, result)
}

/** Parameters that the address doesn't use are `rest`: in the query of a GET or DELETE, in the body of the others. */
const addressOf = (
  { url: template, method }: StoredAction,
  values: ParameterValues,
): { url: URL; rest: ParameterValues } | { problem: string } => {
  const texts = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))
  const rendered = renderUrl(template, texts)
  if ('problem' in rendered) return rendered
  const rest = Object.fromEntries(
    Object.entries(values).filter(([name]) => !template.includes(`{{${name}}}`)),
  )
  if (WITHOUT_BODY.has(method))
    for (const [name, value] of Object.entries(rest)) rendered.url.searchParams.append(name, String(value))
  return { url: rendered.url, rest }
}

/** Null if SECRET_KEY is not the key that they were encrypted with. */
const openHeaders = (
  seal: Seal,
  { workspaceId, id, headers }: StoredAction,
): Record<string, string> | null => {
  if (!headers) return {}
  try {
    return JSON.parse(seal.open(headers, { workspaceId, id })) as Record<string, string>
  } catch (error) {
    if (error instanceof SealError) return null
    throw error
  }
}

const resultOf = ({ isRepeatable, keep }: StoredAction, result: GuardedResult): CallResult => {
  if (result.is === 'unanswered') {
    const isUnknown = result.isSent && !isRepeatable
    return {
      ...notAnswered(isUnknown ? 'unknown' : 'failed', result.problem),
      canRepeat: !isUnknown && !FINAL_CODES.has(result.problem.code),
    }
  }
  const { status, text } = result
  const answered = { ...notAnswered(outcomeOf(status), null), status, preview: text.slice(0, PREVIEW_MAX) }
  if (answered.outcome !== 'done')
    return {
      ...answered,
      problem: {
        code: 'STATUS',
        message:
          status >= 300 && status < 400
            ? `The server responded with a redirect (${status}), which isn’t followed. Enter the final address.`
            : `The server responded with status ${status}.`,
      },
      canRepeat: isRepeatable && (status >= 500 || status === 429),
    }
  if (keep.length === 0) return answered
  const kept = result.problem ? { problem: result.problem } : keepFields(keep, result)
  return 'problem' in kept
    ? { ...answered, outcome: 'failed', problem: kept.problem, canRepeat: false }
    : { ...answered, kept: kept.kept }
}
