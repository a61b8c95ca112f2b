// A person's passkeys and recovery codes: one dialog at a time, each of which leads back to the list.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { request } from '../state/api.ts'
import { keys } from '../state/query-keys.ts'
import { useSession } from '../state/session.tsx'
import type { OwnPasskeys as Own, Passkey } from '../state/types.ts'
import { Dialog } from '../ui/dialog.tsx'
import { LoadProblem } from '../ui/empty-state.tsx'
import { SkeletonRows } from '../ui/spinner.tsx'
import { t } from '../words/t.ts'
import { AddPasskey } from './add-passkey.tsx'
import { NewRecoveryCodes, RemovePasskey, RenamePasskey } from './change-passkeys.tsx'
import { ConfirmIdentity } from './confirm-identity.tsx'
import { AddButton, PasskeyList } from './passkey-list.tsx'
import { RecoveryCodesDialog } from './recovery-codes.tsx'

/** What takes a recent sign-in. */
type Change = { is: 'add' } | { is: 'remove'; passkey: Passkey } | { is: 'new-codes' }
type Step =
  | { is: 'list' }
  | Change
  | { is: 'confirm'; next: Change }
  | { is: 'rename'; passkey: Passkey }
  | { is: 'codes'; codes: string[] }

const LIST: Step = { is: 'list' }

export const OwnPasskeys = ({
  onSignInAgain,
  onClose,
}: {
  onSignInAgain: () => void
  onClose: () => void
}) => {
  const { email } = useSession().session.account
  const [step, setStep] = useState<Step>(LIST)
  const { data, error, refetch } = useQuery({
    queryKey: [...keys.session, 'passkeys'],
    queryFn: ({ signal }) => request<Own>('GET', '/passkeys', { signal }),
    staleTime: 0,
  })
  /** Back to the list, unless another step has followed already. */
  const leave = (): void => {
    setStep((now) => (now === step ? LIST : now))
    void refetch()
  }
  const begin = async (change: Change): Promise<void> => {
    // The ten minutes may have ended since the list was loaded.
    const isConfirmed = (await refetch()).data?.isConfirmed
    setStep(isConfirmed ? change : { is: 'confirm', next: change })
  }
  if (step.is === 'list' || !data)
    return (
      <Dialog
        title={t`Passkeys`}
        about={t`With a passkey, nobody can sign in as you with your mailbox alone.`}
        isOpen
        isWide
        onClose={onClose}
        foot={
          data && data.passkeys.length > 0 && <AddButton own={data} onAdd={() => void begin({ is: 'add' })} />
        }
      >
        {error ? (
          <LoadProblem error={error} onRetry={() => void refetch()} />
        ) : data ? (
          <PasskeyList
            own={data}
            onAdd={() => void begin({ is: 'add' })}
            onRename={(passkey) => setStep({ is: 'rename', passkey })}
            onRemove={(passkey) => void begin({ is: 'remove', passkey })}
            onNewCodes={() => void begin({ is: 'new-codes' })}
          />
        ) : (
          <SkeletonRows rows={2} />
        )}
      </Dialog>
    )
  if (step.is === 'confirm')
    return (
      <ConfirmIdentity
        own={data}
        onSignInAgain={onSignInAgain}
        onConfirmed={() => setStep(step.next)}
        onClose={leave}
      />
    )
  if (step.is === 'add')
    return (
      <AddPasskey
        isFirst={data.passkeys.length === 0}
        onAdded={({ recoveryCodes }) =>
          recoveryCodes ? setStep({ is: 'codes', codes: recoveryCodes }) : leave()
        }
        onClose={leave}
      />
    )
  if (step.is === 'codes') return <RecoveryCodesDialog codes={step.codes} email={email} onClose={leave} />
  if (step.is === 'rename') return <RenamePasskey passkey={step.passkey} onClose={leave} />
  if (step.is === 'remove')
    return <RemovePasskey passkey={step.passkey} isLast={data.passkeys.length === 1} onClose={leave} />
  return <NewRecoveryCodes onCreated={(codes) => setStep({ is: 'codes', codes })} onClose={leave} />
}
