// A protocol made into a model: the loop's bookkeeping is the same for all.
import { lineOf } from '../../channels/protocol/read-json.ts'
import type {
  Carry,
  Completion,
  CompletionOptions,
  CompletionRequest,
  Model,
  ModelAccount,
  ModelCheck,
  ModelCheckStep,
  ToolResult,
} from '../contract.ts'
import { callProvider, type ProviderAnswer } from './call-provider.ts'
import { checkModel } from './check-model.ts'
import { checkEmbeddings, embedTexts } from './embed-texts.ts'
import { modelError } from './error-of.ts'
import { readCompletion } from './read-completion.ts'
import type { Ask, Protocol } from './wire.ts'

const MODEL_NAME_MAX = 200

export const makeModel = (protocol: Protocol): Model => {
  const ask: Ask = async (account, request, options) => {
    const items = itemsBefore(protocol, account, request)
    const body = protocol.body(account, request, items)
    const answer = await callProvider(protocol, account, body, options)
    return read(protocol, account, request, items, answer)
  }
  return {
    complete: (account, request, { timeoutMs, signal }) =>
      ask(account, request, { timeoutMs, ...(signal && { signal }) }),
    ...(protocol.hasEmbeddings && {
      embed: (account, texts, { timeoutMs, signal }) =>
        embedTexts(protocol, account, texts, { timeoutMs, ...(signal && { signal }) }),
    }),
    check: (account, options) => checkAll(protocol, ask, account, options),
  }
}

const NO_EMBEDDINGS: ModelCheckStep = {
  name: 'Embeddings',
  ok: false,
  message: 'This protocol has no embeddings. Remove the embedding model.',
}

/** Both at once, within the same time. Without embeddings, the model can still be used. */
const checkAll = async (
  protocol: Protocol,
  ask: Ask,
  account: ModelAccount,
  options: CompletionOptions,
): Promise<ModelCheck> => {
  const [check, embeddings] = await Promise.all([
    checkModel(ask, account, options),
    !account.embeddingModel
      ? []
      : protocol.hasEmbeddings
        ? checkEmbeddings(protocol, account, options).then((step) => [step])
        : [NO_EMBEDDINGS],
  ])
  return { ...check, steps: [...check.steps, ...embeddings] }
}

/** What the model did so far, each of its calls with a result. */
const itemsBefore = (
  protocol: Protocol,
  account: ModelAccount,
  { carry, results }: CompletionRequest,
): unknown[] => {
  if (!carry) return []
  if (carry.kind !== protocol.kind)
    throw modelError('badRequest', {
      message: 'The provider’s protocol was changed in the middle of a turn.',
    })
  const all = carry.open.map(
    ({ callId, unanswered }): ToolResult =>
      results.find((result) => result.callId === callId) ?? { callId, text: unanswered, isError: true },
  )
  return [...carry.items, ...protocol.renderResults(account, all)]
}

const read = (
  protocol: Protocol,
  account: ModelAccount,
  request: CompletionRequest,
  items: readonly unknown[],
  { value, requestId, tries }: ProviderAnswer,
): Completion => {
  const answer = protocol.read(account, value)
  if (!answer)
    throw modelError('badAnswer', {
      requestId,
      tries,
      message: 'The server’s answer isn’t one of this protocol.',
    })
  const known = { usage: answer.usage, model: lineOf(answer.model, MODEL_NAME_MAX), requestId, tries }
  const carryOf = (open: Carry['open']): Carry => ({
    kind: protocol.kind,
    items: [...items, ...answer.items],
    open,
  })
  return readCompletion(request, answer, known, carryOf)
}
