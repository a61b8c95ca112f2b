// The protocol, by its library, which is loaded when the first passkey is added or used.
import type { FastifyBaseLogger } from 'fastify'
import type { RelyingParty } from './relying-party.ts'
import type { Assertion, Registration } from './schema.ts'

/** EdDSA, ES256, RS256. */
const ALGORITHMS = [-8, -7, -257]

const library = () => import('@simplewebauthn/server')

type Library = Awaited<ReturnType<typeof library>>
type Descriptors = NonNullable<Parameters<Library['generateRegistrationOptions']>[0]['excludeCredentials']>
/** Browsers decide what transports are; unknown ones are kept as they are. */
type Transports = Descriptors[number]['transports']

export type Credential = { credentialId: string; transports: string[] }

const descriptorsOf = (credentials: readonly Credential[]): Descriptors =>
  credentials.map(({ credentialId, transports }) => ({
    id: credentialId,
    transports: transports as Transports,
  }))

type Log = Pick<FastifyBaseLogger, 'warn'>

/** The library throws for whatever doesn't hold; the reason is for the operator. */
const orUndefined = async <T>(log: Log, verify: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await verify()
  } catch (error) {
    log.warn({ reason: (error as Error).message }, 'a passkey was refused')
    return undefined
  }
}

type Challenge = { party: RelyingParty; challenge: Buffer; timeoutMs: number }

export const registrationOptions = async ({
  party,
  challenge,
  timeoutMs,
  email,
  handle,
  existing,
}: Challenge & { email: string; handle: Buffer; existing: readonly Credential[] }): Promise<object> =>
  (await library()).generateRegistrationOptions({
    rpName: 'Foyer',
    rpID: party.id,
    userName: email,
    userDisplayName: email,
    userID: new Uint8Array(handle),
    challenge: new Uint8Array(challenge),
    timeout: timeoutMs,
    attestationType: 'none',
    excludeCredentials: descriptorsOf(existing),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    supportedAlgorithmIDs: ALGORITHMS,
  })

export const assertionOptions = async ({
  party,
  challenge,
  timeoutMs,
  allowed,
}: Challenge & { allowed: readonly Credential[] }): Promise<object> =>
  (await library()).generateAuthenticationOptions({
    rpID: party.id,
    challenge: new Uint8Array(challenge),
    timeout: timeoutMs,
    allowCredentials: descriptorsOf(allowed),
    userVerification: 'preferred',
  })

type Expected = { party: RelyingParty; challenge: string; log: Log }

export type NewCredential = Credential & { publicKey: Buffer; counter: number }

/** Undefined if anything about it is wrong. */
export const verifyRegistration = (
  { id, clientDataJSON, attestationObject, transports }: Registration,
  { party, challenge, log }: Expected,
): Promise<NewCredential | undefined> =>
  orUndefined(log, async () => {
    const { verified, registrationInfo } = await (await library()).verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, attestationObject },
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!verified) return undefined
    const { id: credentialId, publicKey, counter } = registrationInfo.credential
    return { credentialId, publicKey: Buffer.from(publicKey), counter, transports }
  })

/**
 * The authenticator's counter; undefined if anything about it is wrong. The caller compares the counter, in the
 * statement that stores it.
 */
export const verifyAssertion = (
  { id, ...response }: Assertion,
  publicKey: Buffer,
  { party, challenge, log }: Expected,
): Promise<number | undefined> =>
  orUndefined(log, async () => {
    const { verified, authenticationInfo } = await (await library()).verifyAuthenticationResponse({
      response: { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      credential: { id, publicKey: new Uint8Array(publicKey), counter: 0 },
      requireUserVerification: false,
    })
    if (verified) return authenticationInfo.newCounter
    log.warn({ reason: 'wrong signature' }, 'a passkey was refused')
    return undefined
  })
