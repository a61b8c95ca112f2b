// An authenticator without a device: ES256 keys, no attestation, and a counter. Tests bend what it says.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import type { Assertion, Registration } from '../schema.ts'

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const HAS_CREDENTIAL = 0x40

export type CreationOptions = {
  challenge: string
  rp: { id: string }
  user: { id: string; name: string }
  excludeCredentials: { id: string }[]
  attestation: string
  authenticatorSelection: { residentKey: string; userVerification: string }
}
export type RequestOptions = {
  challenge: string
  rpId: string
  allowCredentials: { id: string; transports?: string[] }[]
  userVerification: string
}

type Bent = { origin?: string; rpId?: string; type?: string; challenge?: string; flags?: number }

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest()

const clientDataOf = (type: string, challenge: string, origin: string): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))

const counterBytes = (counter: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(counter)
  return bytes
}

/** The key as COSE has it: an elliptic curve key (2) for ES256 (-7) on P-256 (1). */
const coseKeyOf = (key: KeyObject): Buffer => {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const entries: [number, number | Uint8Array<ArrayBuffer>][] = [
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
    [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
  ]
  return Buffer.from(isoCBOR.encode(new Map(entries)))
}

/** `counts`: whether it has a counter, which passkeys that are synced don't. */
export const makeAuthenticator = (origin: string, { counts = true } = {}) => {
  const id = randomBytes(32)
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const state = { counter: counts ? 1 : 0 }

  const create = (options: CreationOptions, bent: Bent = {}): Registration => {
    const flags = bent.flags ?? USER_PRESENT | USER_VERIFIED
    const authData = Buffer.concat([
      sha256(bent.rpId ?? options.rp.id),
      Buffer.of(flags | HAS_CREDENTIAL),
      counterBytes(state.counter),
      Buffer.alloc(16),
      Buffer.of(0, id.length),
      id,
      coseKeyOf(publicKey),
    ])
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', new Uint8Array(authData)],
    ])
    const challenge = bent.challenge ?? options.challenge
    return {
      id: id.toString('base64url'),
      clientDataJSON: clientDataOf(bent.type ?? 'webauthn.create', challenge, bent.origin ?? origin).toString(
        'base64url',
      ),
      // The library's type names what CBOR can hold; this is.
      attestationObject: Buffer.from(
        isoCBOR.encode(attestation as Parameters<typeof isoCBOR.encode>[0]),
      ).toString('base64url'),
      transports: ['internal'],
    }
  }

  const get = (options: RequestOptions, bent: Bent & { counter?: number } = {}): Assertion => {
    if (counts) state.counter = bent.counter ?? state.counter + 1
    const authenticatorData = Buffer.concat([
      sha256(bent.rpId ?? options.rpId),
      Buffer.of(bent.flags ?? USER_PRESENT),
      counterBytes(state.counter),
    ])
    const clientData = clientDataOf(
      bent.type ?? 'webauthn.get',
      bent.challenge ?? options.challenge,
      bent.origin ?? origin,
    )
    const signed = Buffer.concat([authenticatorData, sha256(clientData)])
    return {
      id: id.toString('base64url'),
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: sign('sha256', signed, privateKey).toString('base64url'),
    }
  }

  return { id: id.toString('base64url'), state, create, get }
}

export type Authenticator = ReturnType<typeof makeAuthenticator>
