// Query parameters that are objects: `customFields[plan]=pro` is `{customFields: {plan: "pro"}}`, as OpenAPI's deepObject
// has it.
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import { fieldOf } from './field-path.ts'

const NAMED_MAX = 10

/** Only of objects that the route's schema has; other names stay as they are. Throws VALIDATION_ERROR for nested keys. */
export const gatherBracketParameters = (request: FastifyRequest): void => {
  const query = (request.query ?? {}) as Record<string, unknown>
  const { querystring } = (request.routeOptions.schema ?? {}) as {
    querystring?: { properties?: Record<string, { type?: string }> }
  }
  for (const [name, { type }] of Object.entries(querystring?.properties ?? {})) {
    if (type !== 'object') continue
    const given = Object.entries(query).filter(([key]) => key.startsWith(`${name}[`) && key.endsWith(']'))
    // Without brackets it is text, which the schema refuses.
    if (given.length === 0 || name in query) continue
    for (const [key] of given) delete query[key]
    // Object.fromEntries makes a key such as __proto__ like any other.
    const keys = given.map(([key, value]) => [key.slice(name.length + 1, -1), value] as const)
    const nested = keys.filter(([key]) => /[[\]]/.test(key))
    if (nested.length > 0)
      throw new ApiError('VALIDATION_ERROR', {
        details: nested.slice(0, NAMED_MAX).map(([key]) => ({
          field: fieldOf([name, key.replaceAll('\0', '').toWellFormed()]),
          message: 'must have one name in brackets',
        })),
      })
    query[name] = Object.fromEntries(keys)
  }
}
