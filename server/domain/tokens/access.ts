// What a token gives access to, as it is entered and stored.
import { withImplied } from '../../platform/ctx/scopes.ts'
import { CHANNELS, type ChannelName, FULL_ACCESS, SCOPES, type Scope } from '../../platform/db/tables.ts'
import { isNetwork } from '../../platform/networks.ts'
import type { FieldReader } from '../read-fields.ts'
import { TOKEN_ADDRESSES_MAX, type TokenAccess, type TokenScope } from './schema.ts'

/** The scopes of a token's row; null is full access. */
export const scopesOf = (stored: readonly TokenScope[]): readonly Scope[] | null =>
  stored.includes(FULL_ACCESS) ? null : (stored as readonly Scope[])

const isOneOf = <T extends string>(all: readonly T[], text: string): text is T =>
  all.some((one) => one === text)

const readScopes = ({ refuse }: FieldReader, given: readonly string[]): TokenScope[] => {
  if (given.length === 0) refuse('scopes', 'must not be empty')
  const unknown = given.filter((scope) => scope !== FULL_ACCESS && !isOneOf(SCOPES, scope))
  if (unknown.length > 0) refuse('scopes', `${unknown[0]} is none of ${[FULL_ACCESS, ...SCOPES].join(', ')}`)
  const isFull = given.includes(FULL_ACCESS)
  if (isFull && given.length > 1) refuse('scopes', `${FULL_ACCESS} includes all other scopes`)
  return isFull ? [FULL_ACCESS] : withImplied(given.filter((scope) => isOneOf(SCOPES, scope)))
}

const readChannels = ({ refuse }: FieldReader, given: readonly string[]): ChannelName[] => {
  if (given.length === 0) refuse('channels', 'must not be empty')
  const unknown = given.find((channel) => !isOneOf(CHANNELS, channel))
  if (unknown !== undefined) refuse('channels', `${unknown} is none of ${CHANNELS.join(', ')}`)
  return CHANNELS.filter((channel) => given.includes(channel))
}

/** Dates without a time begin at midnight UTC. */
const DATE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

const readExpiry = ({ refuse }: FieldReader, given: string, now: Date): Date => {
  const at = new Date(given)
  if (!DATE.test(given) || Number.isNaN(at.getTime()))
    refuse('expiresAt', 'must be a date such as 2027-01-31 or a date-time such as 2027-01-31T09:00:00Z')
  else if (at <= now) refuse('expiresAt', 'must be in the future')
  return at
}

const readAddresses = ({ refuse }: FieldReader, given: readonly string[]): string[] => {
  if (given.length === 0) refuse('allowedAddresses', 'must not be empty')
  if (given.length > TOKEN_ADDRESSES_MAX)
    refuse('allowedAddresses', `must have at most ${TOKEN_ADDRESSES_MAX} entries`)
  const wrong = given.find((address) => !isNetwork(address))
  if (wrong !== undefined)
    refuse('allowedAddresses', `${wrong} is neither an address nor a network such as 203.0.113.0/24`)
  return [...new Set(given)]
}

export type GivenAccess = { [K in keyof TokenAccess]?: TokenAccess[K] | readonly string[] | undefined } & {
  expiresAt?: string | null | undefined
}

/** Full access for everything left out. Problems are the reader's. */
export const readAccess = (
  reader: FieldReader,
  { scopes, channels, expiresAt, allowedAddresses }: GivenAccess,
  now: Date,
) => ({
  scopes: scopes ? readScopes(reader, scopes) : ([FULL_ACCESS] satisfies TokenScope[]),
  channels: channels ? readChannels(reader, channels) : null,
  expiresAt: expiresAt ? readExpiry(reader, expiresAt, now) : null,
  allowedAddresses: allowedAddresses ? readAddresses(reader, allowedAddresses) : null,
})

export type Access = ReturnType<typeof readAccess>
