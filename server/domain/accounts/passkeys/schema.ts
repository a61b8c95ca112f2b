import Type, { type Static } from 'typebox'
import { Moment, Name, nullable, Text } from '../../schema.ts'

export const PASSKEY_NAME_MAX = 60
const CREDENTIAL_ID_MAX = 1_400
/** Of what an authenticator signs or attests; with no attestation, a few hundred bytes. */
const SIGNED_MAX = 8_000
const TRANSPORTS_MAX = 10
const TRANSPORT_MAX = 30
const RECOVERY_CODE_MAX = 40

const PASSKEY_OBSTACLES = ['ip_address', 'not_https'] as const
export type PasskeyObstacle = (typeof PASSKEY_OBSTACLES)[number]

const Base64Url = (maxLength: number) =>
  Type.String({ pattern: '^[A-Za-z0-9_-]+$', patternSays: 'must be base64url', minLength: 1, maxLength })

/** What the browser returns of a new credential, without what we don't check. */
export const Registration = Type.Object({
  id: Base64Url(CREDENTIAL_ID_MAX),
  clientDataJSON: Base64Url(SIGNED_MAX),
  attestationObject: Base64Url(SIGNED_MAX),
  transports: Type.Array(Type.String({ maxLength: TRANSPORT_MAX }), { maxItems: TRANSPORTS_MAX }),
})
export type Registration = Static<typeof Registration>

/** What the browser returns of a credential that was used. */
export const Assertion = Type.Object({
  id: Base64Url(CREDENTIAL_ID_MAX),
  clientDataJSON: Base64Url(SIGNED_MAX),
  authenticatorData: Base64Url(SIGNED_MAX),
  signature: Base64Url(SIGNED_MAX),
})
export type Assertion = Static<typeof Assertion>

const OwnName = Name(PASSKEY_NAME_MAX)
export const NewPasskey = Type.Object({ name: OwnName, registration: Registration })
export const RenamePasskey = Type.Object({ name: OwnName })
export const PasskeyParams = Type.Object({ passkeyId: Type.String() })

const Passkey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  createdAt: Moment,
  lastUsedAt: nullable(Moment),
})
export type Passkey = Static<typeof Passkey>

export const OwnPasskeys = Type.Object({
  passkeys: Type.Array(Passkey),
  recoveryCodesLeft: Type.Integer(),
  isConfirmed: Type.Boolean({
    description:
      'Whether the person signed in, or confirmed that it is them, recently enough to change these.',
  }),
  canMailCode: Type.Boolean({ description: 'Whether an emailed code confirms it.' }),
  obstacle: nullable(Type.Enum([...PASSKEY_OBSTACLES])),
  origin: Type.String({ description: 'Where browsers can use passkeys.' }),
  providerName: nullable(Type.String({ description: 'After signing in there, no passkey is asked for.' })),
})
export type OwnPasskeys = Static<typeof OwnPasskeys>

export const RecoveryCodes = Type.Object({
  recoveryCodes: Type.Array(Type.String(), { description: 'Shown once.' }),
})
export type RecoveryCodes = Static<typeof RecoveryCodes>

export const PasskeyAdded = Type.Object({
  recoveryCodes: nullable(Type.Array(Type.String(), { description: 'Only with the first passkey.' })),
})
export type PasskeyAdded = Static<typeof PasskeyAdded>

export const Done = Type.Object({ success: Type.Literal(true) })

/** What the browser's own function takes; it comes from a library, in the standard's JSON form. */
export const PasskeyOptions = Type.Object({ options: Type.Unsafe<object>({}) })

/** Instead of a session: the code or link was right, and a passkey or a recovery code has to follow. */
export const SecondFactorNeeded = Type.Object({
  needs: Type.Literal('second_factor'),
  obstacle: nullable(Type.Enum([...PASSKEY_OBSTACLES])),
  origin: Type.String({ description: 'Where browsers can use passkeys.' }),
})
export type SecondFactorNeeded = Static<typeof SecondFactorNeeded>

export const SecondFactorGiven = Type.Object(
  { passkey: Type.Optional(Assertion), recoveryCode: Type.Optional(Text(RECOVERY_CODE_MAX)) },
  { exactlyOneOf: ['passkey', 'recoveryCode'] },
)
export type SecondFactorGiven = Static<typeof SecondFactorGiven>

export const Confirmation = Type.Object(
  {
    passkey: Type.Optional(Assertion),
    code: Type.Optional(
      Type.String({ trim: true, pattern: '^\\d{3} ?\\d{3}$', patternSays: 'must be six digits' }),
    ),
  },
  { exactlyOneOf: ['passkey', 'code'] },
)
