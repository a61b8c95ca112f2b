// Reads and writes a value inside a step by its place. Writing `undefined` removes it, and what becomes empty around it.
type Json = { readonly [name: string]: unknown }

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const readAt = (from: object, at: string): unknown =>
  at.split('.').reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), from)

export const writeAt = <T extends object>(into: T, at: string, value: unknown): T => {
  const [name = '', ...rest] = at.split('.')
  const { [name]: inner, ...others } = into as Json
  const next = rest.length === 0 ? value : writeAt(isRecord(inner) ? inner : {}, rest.join('.'), value)
  const isGone = next === undefined || (rest.length > 0 && Object.keys(next as Json).length === 0)
  // What was there keeps its place, so that the JSON reads as before.
  if (isGone) return others as T
  return { ...(into as Json), [name]: next } as T
}
