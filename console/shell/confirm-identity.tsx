// Changing passkeys takes a recent sign-in. This stands for one: a passkey, or a new code for people without.
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { request } from '../state/api.ts'
import { askForPasskey, passkeyProblem } from '../state/passkeys.ts'
import { useSession } from '../state/session.tsx'
import type { OwnPasskeys } from '../state/types.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { FormProblem, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { rich, t } from '../words/t.ts'

type Props = {
  own: OwnPasskeys
  onSignInAgain: () => void
  onConfirmed: () => void
  onClose: () => void
}

export const ConfirmIdentity = (props: Props) => {
  const { own } = props
  if (own.passkeys.length > 0 && passkeyProblem(own) === null) return <ByPasskey {...props} />
  if (own.canMailCode) return <ByCode {...props} />
  return (
    <Frame {...props}>
      <p>{t`Sign in again, then come back here.`}</p>
    </Frame>
  )
}

const Frame = ({
  action,
  children,
  onSignInAgain,
  onClose,
}: Omit<Props, 'own'> & { action?: ReactNode; children: ReactNode }) => (
  <Dialog
    title={t`Confirm that it’s you`}
    about={t`You signed in more than ten minutes ago. Confirm that it’s you before you change your passkeys.`}
    isOpen
    onClose={onClose}
    foot={
      <>
        <Button onClick={onSignInAgain}>{t`Sign in again`}</Button>
        {action}
      </>
    }
  >
    {children}
  </Dialog>
)

const ByPasskey = (props: Props) => {
  const confirm = useMutation({
    mutationFn: async () => {
      const passkey = await askForPasskey('/sign-in/confirm-options')
      return request('POST', '/sign-in/confirm', { body: { passkey } })
    },
    onSuccess: props.onConfirmed,
  })
  return (
    <Frame
      {...props}
      action={
        <Button variant="primary" autoFocus isBusy={confirm.isPending} onClick={() => confirm.mutate()}>
          {t`Use passkey`}
        </Button>
      }
    >
      <FormProblem error={confirm.error} />
      <p>{t`Use one of your passkeys. If you don’t have one here, sign in again with a recovery code.`}</p>
    </Frame>
  )
}

const FORM = 'confirm-identity'

const ByCode = (props: Props) => {
  const { email } = useSession().session.account
  const send = useMutation({
    mutationFn: () => request('POST', '/sign-in/code', { body: { email } }),
  })
  const confirm = useMutation({
    mutationFn: (code: string) => request('POST', '/sign-in/confirm', { body: { code } }),
    onSuccess: props.onConfirmed,
  })
  return (
    <Frame
      {...props}
      action={
        send.isSuccess ? (
          <Button key="confirm" type="submit" form={FORM} variant="primary" isBusy={confirm.isPending}>
            {t`Confirm`}
          </Button>
        ) : (
          <Button key="send" variant="primary" isBusy={send.isPending} onClick={() => send.mutate()}>
            {t`Email me a code`}
          </Button>
        )
      }
    >
      {send.isSuccess ? (
        <Form id={FORM} error={confirm.error} onSubmit={({ code = '' }) => confirm.mutate(code)}>
          <TextField
            label={t`Six-digit code`}
            name="code"
            hint={t`We’ve sent it to ${email}.`}
            dir="ltr"
            inputMode="numeric"
            autoComplete="one-time-code"
            autoFocus
            required
          />
        </Form>
      ) : (
        <>
          <FormProblem error={send.error} />
          <p>{rich`We’ll send a six-digit code to ${<bdi className="text-strong">{email}</bdi>}.`}</p>
        </>
      )}
    </Frame>
  )
}
