// Recognises people who were erased, so that a provider's late delivery or an import doesn't bring them back. Only an HMAC of
// what identified them is kept.
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { IdentityKind } from '../../platform/db/tables.ts'
import { hasErased, listErasedIdentities } from './queries.ts'

const PURPOSE = 'erased identity'
/** Whoever was erased is recognised for this long. */
export const ERASED_KEPT_MS = 3 * 365 * 24 * 3_600_000

type Identity = { kind: IdentityKind; value: string }

export const hashOf = ({ seal, workspaceId }: Pick<Ctx, 'seal' | 'workspaceId'>, one: Identity): string =>
  seal.sign(PURPOSE, textOf(workspaceId, one))

const textOf = (workspaceId: string, { kind, value }: Identity): string => `${workspaceId}\n${kind}\n${value}`

/**
 * Without what people wrote before they were erased: the provider delivers it again or late. Who writes after that is a new
 * customer. `identitiesOf`: every identity that may find the person.
 */
export const withoutErased = async <T extends { sentAt: Date }>(
  ctx: Ctx,
  items: readonly T[],
  identitiesOf: (item: T) => readonly Identity[],
): Promise<T[]> => {
  if (items.length === 0 || !(await hasErased(ctx))) return [...items]
  const hashed = items.map((item) =>
    identitiesOf(item).flatMap((one) => ctx.seal.signatures(PURPOSE, textOf(ctx.workspaceId, one))),
  )
  const erased = await listErasedIdentities(ctx, hashed.flat())
  return items.filter(
    ({ sentAt }, index) => !hashed[index]!.some((hash) => sentAt <= (erased.get(hash) ?? NEVER)),
  )
}

const NEVER = new Date(0)
