// Passkeys in this browser: making one, using one, and why that isn't possible.
import {
  browserSupportsWebAuthn,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from '@simplewebauthn/browser'
import { t } from '../words/t.ts'
import { request } from './api.ts'
import type { Assertion, PasskeyObstacle, Registration } from './types.ts'

type Place = { obstacle: PasskeyObstacle | null; origin: string }

/** Why this browser can't make or use passkeys for this server; null if it can. */
export const passkeyProblem = ({ obstacle, origin }: Place): string | null => {
  if (obstacle === 'ip_address')
    return t`Passkeys don’t work at an IP address. Whoever runs Foyer can set PUBLIC_URL to a host name with https, or to localhost.`
  if (obstacle === 'not_https')
    return 'Passkeys need https. Whoever runs Foyer can set PUBLIC_URL to an address that begins with https://.'
  if (location.origin !== origin) return t`Your passkeys only work at ${origin}. Open Foyer there.`
  return browserSupportsWebAuthn() ? null : t`This browser doesn’t support passkeys. Try another one.`
}

/** What went wrong in the browser, in words. Errors of the server have theirs. */
const inWords = (error: unknown): unknown => {
  const { name } = error as Error
  if (name === 'NotAllowedError' || name === 'AbortError')
    return new Error(t`Canceled, or it took too long. Try again.`)
  if (name === 'InvalidStateError')
    return new Error(t`This device or security key already has a passkey here.`)
  return error instanceof WebAuthnError
    ? new Error(t`Your browser couldn’t do this. Try again, or use another device.`)
    : error
}

type Options<Start extends (given: { optionsJSON: never }) => unknown> = Start extends (given: {
  optionsJSON: infer Json
}) => unknown
  ? Json
  : never

/** Asks the server what to sign, and the person to confirm it with a new passkey. */
export const makePasskey = async (): Promise<Registration> => {
  const { options } = await request<{ options: Options<typeof startRegistration> }>(
    'POST',
    '/passkeys/options',
  )
  try {
    const { id, response } = await startRegistration({ optionsJSON: options })
    const { clientDataJSON, attestationObject, transports = [] } = response
    return { id, clientDataJSON, attestationObject, transports }
  } catch (error) {
    throw inWords(error)
  }
}

/** The same with one that they have. */
export const askForPasskey = async (
  path: '/sign-in/passkey-options' | '/sign-in/confirm-options',
): Promise<Assertion> => {
  const { options } = await request<{ options: Options<typeof startAuthentication> }>('POST', path)
  try {
    const { id, response } = await startAuthentication({ optionsJSON: options })
    const { clientDataJSON, authenticatorData, signature } = response
    return { id, clientDataJSON, authenticatorData, signature }
  } catch (error) {
    throw inWords(error)
  }
}
