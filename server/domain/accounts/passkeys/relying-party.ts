// Who authenticators make passkeys for: the public URL's host. Browsers require a name, and https except on localhost.
import { isIP } from 'node:net'
import { ApiError } from '../../../platform/errors.ts'
import type { PasskeyObstacle } from './schema.ts'

type Place = { publicUrl: string }
export type RelyingParty = { id: string; origin: string }

const isLocalName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost')

/** Why passkeys can't be used at this server's address; null if they can. */
export const obstacleOf = ({ publicUrl }: Place): PasskeyObstacle | null => {
  const { hostname, protocol } = new URL(publicUrl)
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return 'ip_address'
  return protocol === 'https:' || isLocalName(hostname) ? null : 'not_https'
}

/** Throws PASSKEYS_UNAVAILABLE. */
export const relyingPartyOf = (place: Place): RelyingParty => {
  if (obstacleOf(place)) throw new ApiError('PASSKEYS_UNAVAILABLE')
  const { hostname: id, origin } = new URL(place.publicUrl)
  return { id, origin }
}
