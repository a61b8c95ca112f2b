import { DEFINITIONS } from '../../../channels/definitions.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import { invalid } from '../../platform/errors.ts'

type Known = Record<string, unknown>

const originOf = (address: unknown): string | null => {
  if (typeof address !== 'string' || !URL.canParse(address)) return null
  const { protocol, host } = new URL(address)
  return `${protocol}//${host}`.toLowerCase()
}

/**
 * Requires a secret to be entered again in the same change that sends it to another host, so that nobody can redirect a
 * secret they do not know. Not required when returning to the provider's own fixed address. Throws VALIDATION_ERROR
 * naming each secret.
 */
export const requireSecretsAgain = (
  channel: ChannelName,
  { before, after, changes }: { before: Known; after: Known; changes: FieldChanges },
): void => {
  const missing = new Map<string, string>()
  for (const [field, { sendsSecrets = [] }] of Object.entries(DEFINITIONS[channel].fields)) {
    const origin = originOf(after[field])
    if (origin === null || origin === originOf(before[field])) continue
    for (const secret of sendsSecrets)
      if (after[secret] !== undefined && before[secret] !== undefined && !changes[secret])
        missing.set(secret, field)
  }
  if (missing.size > 0)
    throw invalid(
      ...[...missing].map(([field, host]) => ({
        field,
        message: `must be entered again because ${host} changed to another host`,
      })),
    )
}

/** Omitted fields stay as they are, secrets too; null removes an optional one. */
export type FieldChanges = Record<string, string | string[] | null | undefined>
