// The secrets of an endpoint, and what a request is signed with: https://www.standardwebhooks.com, scheme v1.
import { createHmac, randomBytes } from 'node:crypto'
import { type Seal, SealError } from '../../platform/seal.ts'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32
const SHOWN_LENGTH = 9

export type EndpointSecrets = {
  current: string
  /** Signs as well until the endpoint's previous_secret_until. */
  previous: string | null
  /** Values by name. */
  headers: Record<string, string>
}

type Owner = { workspaceId: string; id: string }

export const makeSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`

/** What may be shown of it. */
export const prefixOf = (secret: string): string => secret.slice(0, SHOWN_LENGTH)

export const sealSecrets = (seal: Seal, owner: Owner, secrets: EndpointSecrets): Buffer =>
  seal.seal(JSON.stringify(secrets), { workspaceId: owner.workspaceId, id: owner.id })

/** Null if SECRET_KEY is not the key that they were encrypted with. */
export const openSecrets = (
  seal: Seal,
  { workspaceId, id, secrets }: Owner & { secrets: Buffer },
): EndpointSecrets | null => {
  try {
    return JSON.parse(seal.open(secrets, { workspaceId, id })) as EndpointSecrets
  } catch (error) {
    if (error instanceof SealError) return null
    throw error
  }
}

type Signed = { id: string; timestamp: string; body: string }

/** The value of webhook-signature: one signature for each secret that is valid now. */
export const signatureOf = (secrets: readonly string[], { id, timestamp, body }: Signed): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
    })
    .join(' ')
