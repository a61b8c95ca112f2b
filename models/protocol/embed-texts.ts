// Vectors of texts, as OpenAI made it and compatible servers have it.
// https://platform.openai.com/docs/api-reference/embeddings
import { isObject, type JsonObject, listOf, numberOf, objectOf } from '../../channels/protocol/read-json.ts'
import {
  type CompletionOptions,
  EMBED_TEXTS_MAX,
  type Embedding,
  type ModelAccount,
  type ModelCheckStep,
  ModelError,
} from '../contract.ts'
import { callProvider } from './call-provider.ts'
import { modelError, type Said } from './error-of.ts'
import { type Protocol, usageOf } from './wire.ts'

const PATH = '/embeddings'
/** Of a vector. The largest that providers have today are 4,096. */
const DIMENSIONS_MAX = 4_096

type EmbedOptions = CompletionOptions & { onSaid?: (said: Said) => void }

/** Throws a ModelError, also if the answer isn't one vector of the same length for each text. */
export const embedTexts = async (
  { headers }: Protocol,
  account: ModelAccount,
  texts: readonly string[],
  options: EmbedOptions,
): Promise<Embedding> => {
  if (!account.embeddingModel)
    throw modelError('noModel', { message: 'There is no embedding model in the settings.' })
  if (texts.length === 0 || texts.length > EMBED_TEXTS_MAX)
    throw new RangeError(`${texts.length} texts can't be embedded at once`)
  const body = { model: account.embeddingModel, input: texts }
  const { value, tries } = await callProvider({ path: PATH, headers }, account, body, options)
  const vectors = vectorsIn(value, texts.length)
  if (!vectors)
    throw modelError('badAnswer', { tries, message: 'The server’s answer has no usable vectors.' })
  const { prompt_tokens: tokens } = objectOf(value.usage)
  return { vectors, usage: usageOf(tokens, 0, 0) }
}

/** In the order of the texts, each of length 1; null if one is missing or unlike the others. */
const vectorsIn = (answer: JsonObject, count: number): Float32Array[] | null => {
  const vectors: Float32Array[] = []
  for (const [at, item] of listOf(answer.data).filter(isObject).entries()) {
    const vector = normalize(listOf(item.embedding))
    if (vector) vectors[numberOf(item.index) ?? at] = vector
  }
  const isWhole = vectors.length === count && Object.keys(vectors).length === count
  return isWhole && vectors.every(({ length }) => length === vectors[0]!.length) ? vectors : null
}

const normalize = (values: readonly unknown[]): Float32Array | null => {
  if (values.length === 0 || values.length > DIMENSIONS_MAX) return null
  const vector = Float32Array.from(values, (value) => (typeof value === 'number' ? value : Number.NaN))
  const length = Math.hypot(...vector)
  return Number.isFinite(length) && length > 0 ? vector.map((value) => value / length) : null
}

/** Any two texts will do: what counts is that they have vectors, and different ones. */
const CHECK_TEXTS = ['How do I return a parcel?', 'What are your opening hours?']

/** Never throws. */
export const checkEmbeddings = async (
  protocol: Protocol,
  account: ModelAccount,
  options: CompletionOptions,
): Promise<ModelCheckStep> => {
  const name = 'Embeddings'
  let said: Said | null = null
  const onSaid = (given: Said) => {
    said = given
  }
  try {
    const { vectors } = await embedTexts(protocol, account, CHECK_TEXTS, { ...options, onSaid })
    const [one, other] = vectors
    return one!.every((value, at) => value === other![at])
      ? { name, ok: false, message: 'The model returns the same vector for different texts. Choose another.' }
      : { name, ok: true, message: `${account.embeddingModel} returns vectors of ${one!.length} numbers.` }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    return { name, ok: false, message: wordsOf(error, said) }
  }
}

const wordsOf = ({ message, problem }: ModelError, said: Said | null): string =>
  said && problem !== 'badKey' ? `${message} The provider says: ${said.text}` : message
