// Uses of the secret key: encrypting credentials before they are stored, and signing values that clients return to
// us.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

/** The owner of the secret. A sealed value opens only for the same owner: copied to another row it is worthless. */
export type SealOwner = { workspaceId: string; id: string }

export type Seal = {
  seal(text: string, owner: SealOwner): Buffer
  /** Throws SealError if the key, the owner or the bytes differ from those used to seal. */
  open(sealed: Buffer, owner: SealOwner): string
  /** A URL-safe signature. `purpose` prevents a signature for one use from being valid for another. */
  sign(purpose: string, text: string): string
  verify(purpose: string, text: string, signature: string): boolean
  /** All signatures that are right: by the key, and by the former one if there is one. */
  signatures(purpose: string, text: string): string[]
}

export class SealError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SealError'
  }
}

// Envelope: version (1 byte), nonce (12), tag (16), ciphertext.
const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES
const KEY_BYTES = 32
const CIPHER = 'aes-256-gcm'

const deriveKey = (secretKey: string, use: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', `foyer ${use}`, KEY_BYTES))

const ownerBytes = ({ workspaceId, id }: SealOwner): Buffer => Buffer.from(`${workspaceId}\n${id}`)

const makeKey = (secretKey: string) => {
  const sealingKey = deriveKey(secretKey, 'seal 1')
  const signingKey = deriveKey(secretKey, 'sign 1')
  return {
    seal(text: string, owner: SealOwner): Buffer {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, sealingKey, nonce).setAAD(ownerBytes(owner))
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), ciphertext])
    },
    /** Throws the library's error. */
    open(sealed: Buffer, owner: SealOwner): string {
      const nonce = sealed.subarray(1, 1 + NONCE_BYTES)
      const decipher = createDecipheriv(CIPHER, sealingKey, nonce, { authTagLength: TAG_BYTES })
        .setAAD(ownerBytes(owner))
        .setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEADER_BYTES))
      return Buffer.concat([decipher.update(sealed.subarray(HEADER_BYTES)), decipher.final()]).toString(
        'utf8',
      )
    },
    sign: (purpose: string, text: string): Buffer =>
      createHmac('sha256', signingKey).update(`${purpose}\n${text}`).digest(),
  }
}

/** With a former key, what that one sealed and signed is still good; nothing new is made with it. */
export const makeSeal = (secretKey: string, formerKey: string | null = null): Seal => {
  const current = makeKey(secretKey)
  const keys = [current, ...(formerKey === null ? [] : [makeKey(formerKey)])]
  return {
    seal: current.seal,
    open(sealed, owner) {
      if (sealed[0] !== VERSION || sealed.length < HEADER_BYTES)
        throw new SealError('A stored credential is damaged or was encrypted by a newer version.')
      let cause: unknown
      for (const key of keys)
        try {
          return key.open(sealed, owner)
        } catch (error) {
          cause = error
        }
      throw new SealError(
        'A stored credential cannot be decrypted: SECRET_KEY is not the key it was encrypted with.',
        { cause },
      )
    },
    sign: (purpose, text) => current.sign(purpose, text).toString('base64url'),
    verify(purpose, text, signature) {
      const given = Buffer.from(signature, 'base64url')
      return keys.some((key) => {
        const right = key.sign(purpose, text)
        return given.length === right.length && timingSafeEqual(given, right)
      })
    },
    signatures: (purpose, text) => keys.map((key) => key.sign(purpose, text).toString('base64url')),
  }
}
