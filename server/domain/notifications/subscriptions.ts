import { AddressNotAllowed, checkAddress, refuseUrl } from '../../../channels/channel.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { newId } from '../../platform/db/id.ts'
import { invalid } from '../../platform/errors.ts'
import type { NewSubscription } from './schema.ts'
import { upsertSubscription } from './subscription-queries.ts'

type Scope = Pick<Ctx, 'db' | 'now'>
type Owner = { accountId: string; hash: Buffer }

/** An uncompressed point of P-256, and 16 bytes. */
const PUBLIC_KEY = /^[\w-]{87}$/
const AUTH_SECRET = /^[\w-]{22}$/

/**
 * Remembers where a browser gets its notifications, until its sign-in ends. A browser that somebody else signs in to
 * gets theirs from then on. Throws VALIDATION_ERROR for an address that may not be requested, and for keys that are none.
 */
export const subscribe = async (
  scope: Scope,
  { accountId, hash }: Owner,
  { endpoint, keys }: NewSubscription,
): Promise<void> => {
  const url = await readEndpoint(endpoint)
  const publicKey = keys.p256dh.replace(/={1,2}$/, '')
  const authSecret = keys.auth.replace(/={1,2}$/, '')
  if (!PUBLIC_KEY.test(publicKey)) throw invalid({ field: 'keys.p256dh', message: 'is not a public key' })
  if (!AUTH_SECRET.test(authSecret)) throw invalid({ field: 'keys.auth', message: 'is not a secret' })
  await upsertSubscription(scope, {
    id: newId(),
    accountId,
    hash,
    endpoint: url.href,
    host: url.host,
    publicKey,
    authSecret,
  })
}

/** Whoever signs in can name any address here; each connection is checked again. */
const readEndpoint = async (text: string): Promise<URL> => {
  const refuse = (message: string) => invalid({ field: 'endpoint', message })
  if (!URL.canParse(text)) throw refuse('is not a valid URL')
  const url = new URL(text)
  const refusal = refuseUrl(url)
  if (refusal) throw refuse(refusal)
  const isSecure = url.protocol === 'https:'
  try {
    await checkAddress(url.hostname, Number(url.port) || (isSecure ? 443 : 80), isSecure ? 'every' : 'listed')
  } catch (error) {
    if (error instanceof AddressNotAllowed) throw refuse('leads to an address that isn’t allowed')
    throw error
  }
  return url
}
