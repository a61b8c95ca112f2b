import { DEFINITIONS } from '../../../channels/definitions.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import { invalid } from '../../platform/errors.ts'
import type { Seal } from '../../platform/seal.ts'
import { lockWorkspace } from '../workspaces/queries.ts'
import { listChannelAccounts, readableSecrets } from './queries.ts'

type Candidate = {
  id: string
  channel: ChannelName
  address: string | null
  settings: object
  secrets: Record<string, string | undefined>
}

/** Which number, mailbox, page or bot an account is, by the field that identifies it. Web chat has none. */
export const placesOf = ({ channel, address, settings, secrets }: Candidate): Record<string, string> => {
  const given: Record<string, unknown> = { ...settings, ...secrets }
  const places: Record<string, string> = {}
  for (const [name, field] of Object.entries(DEFINITIONS[channel].fields)) {
    if (!field.isUnique) continue
    const value = field.in === 'address' ? (address ?? '') : String(given[name])
    places[name] = field.uniquePart?.(value) ?? value
  }
  return places
}

/**
 * Throws VALIDATION_ERROR if another account of the workspace is the same place: customers' messages would arrive on
 * either of the two by chance. Concurrent connections wait for each other.
 */
export const assertUniqueAddress = async (ctx: Ctx & { seal: Seal }, account: Candidate): Promise<void> => {
  await lockWorkspace(ctx)
  const others = await listChannelAccounts(ctx, account.channel)
  const taken = others
    .filter(({ id }) => id !== account.id)
    .map((other) => placesOf({ ...other, secrets: readableSecrets(ctx.seal, other) ?? {} }))
  const duplicates = Object.entries(placesOf(account)).filter(([field, place]) =>
    taken.some((other) => other[field] === place),
  )
  if (duplicates.length > 0)
    throw invalid(
      ...duplicates.map(([field]) => ({ field, message: 'is already connected to the workspace' })),
    )
}
