// What follows a code or an emailed link for people with a passkey.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, request } from '../../state/api.ts'
import { askForPasskey, passkeyProblem } from '../../state/passkeys.ts'
import type { Assertion, SecondFactorNeeded, Session } from '../../state/types.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { t } from '../../words/t.ts'

const EXPIRED = t`This sign-in has expired. Start again.`

type Props = SecondFactorNeeded & {
  onSession: (session: Session) => void
  onStartOver: (problem: string | null) => void
}

const SecondFactor = ({ onSession, onStartOver, ...place }: Props) => {
  const obstacle = passkeyProblem(place)
  const [isByCode, setByCode] = useState(obstacle !== null)
  const finish = useMutation({
    mutationFn: async (recoveryCode: string | null) => {
      const body: { passkey: Assertion } | { recoveryCode: string } =
        recoveryCode === null
          ? { passkey: await askForPasskey('/sign-in/passkey-options') }
          : { recoveryCode }
      return request<Session>('POST', '/sign-in/second-factor', { body })
    },
    onSuccess: onSession,
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'SIGN_IN_REFUSED') onStartOver(EXPIRED)
    },
  })
  const change = (isByCode: boolean): void => {
    finish.reset()
    setByCode(isByCode)
  }
  return (
    <>
      <div className="stack stack--tight">
        <h1 className="sign-in__title">{isByCode ? t`Use a recovery code` : t`Use your passkey`}</h1>
        <p className="text-soft">
          {isByCode
            ? t`You got ten of them when you added your first passkey. Each works once.`
            : t`Confirm with your fingerprint, face, screen lock or security key.`}
        </p>
      </div>
      {obstacle && <Banner tone="warn">{obstacle}</Banner>}
      {finish.error && <Banner tone="danger">{finish.error.message}</Banner>}
      {isByCode ? (
        <RecoveryCodeForm isBusy={finish.isPending} onCode={finish.mutate} />
      ) : (
        <Button
          variant="primary"
          size="large"
          isWide
          autoFocus
          isBusy={finish.isPending}
          onClick={() => finish.mutate(null)}
        >
          {t`Use passkey`}
        </Button>
      )}
      <div className="row row--between row--wrap">
        <Button variant="ghost" onClick={() => onStartOver(null)}>
          {t`Start over`}
        </Button>
        {!obstacle && (
          <Button variant="ghost" onClick={() => change(!isByCode)}>
            {isByCode ? t`Use your passkey` : t`Use a recovery code`}
          </Button>
        )}
      </div>
      {isByCode && (
        <p className="text-soft text-small">
          {t`If you’ve lost them too, ask whoever runs Foyer for a sign-in link.`}
        </p>
      )}
    </>
  )
}
export default SecondFactor

const RecoveryCodeForm = ({ isBusy, onCode }: { isBusy: boolean; onCode: (code: string) => void }) => {
  const [code, setCode] = useState('')
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        onCode(code)
      }}
    >
      <TextField
        label={t`Recovery code`}
        name="recoveryCode"
        dir="ltr"
        autoFocus
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
      <Button
        type="submit"
        variant="primary"
        size="large"
        isWide
        isBusy={isBusy}
        disabled={code.trim() === ''}
      >
        {t`Sign in`}
      </Button>
    </form>
  )
}
