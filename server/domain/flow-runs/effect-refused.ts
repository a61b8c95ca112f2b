import { ApiError } from '../../platform/errors.ts'

/**
 * Something that a flow refers to and that seemed to be there was refused, as `agent <id>`, `team <id>`,
 * `template <name>` or `tag <id>`: the conversation is decided again without it.
 */
export class EffectRefused extends Error {
  override readonly name = 'EffectRefused'
  readonly what: string
  constructor(what: string, cause: ApiError) {
    super(`${what} was refused: ${cause.code}`, { cause })
    this.what = what
  }
}

export const orRefused = async <T>(
  what: string | ((error: ApiError) => string),
  effect: Promise<T>,
): Promise<T> => {
  try {
    return await effect
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new EffectRefused(typeof what === 'string' ? what : what(error), error)
  }
}

/** The first that is gone: the error says which. */
export const tagOf =
  (tagIds: readonly string[]) =>
  ({ details }: ApiError): string =>
    `tag ${tagIds[Number(/\d+/.exec(details?.[0]?.field ?? '')?.[0] ?? 0)]}`
