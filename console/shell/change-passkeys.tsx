// Renaming and removing a passkey, and new recovery codes.
import { useMutation } from '@tanstack/react-query'
import { request } from '../state/api.ts'
import type { Passkey, RecoveryCodes } from '../state/types.ts'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { toast } from '../ui/toast.tsx'
import { t } from '../words/t.ts'

export const RenamePasskey = ({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) => {
  const rename = useMutation({
    mutationFn: (name: string) => request('PATCH', `/passkeys/${passkey.id}`, { body: { name } }),
    onSuccess: () => {
      toast(t`Passkey renamed`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={t`Rename passkey`}
      save={rename}
      onSubmit={({ name = '' }) => rename.mutate(name)}
      onClose={onClose}
    >
      <TextField label={t`Name`} name="name" defaultValue={passkey.name} autoFocus required />
    </FormDialog>
  )
}

export const RemovePasskey = ({
  passkey: { id, name },
  isLast,
  onClose,
}: {
  passkey: Passkey
  isLast: boolean
  onClose: () => void
}) => (
  <ConfirmDialog
    title={t`Remove passkey “${name}”?`}
    about={
      isLast
        ? t`It’s your last one: a code or link from your email will be enough to sign in, and your recovery codes stop working.`
        : t`You can’t sign in with it anymore. Your other passkeys and your recovery codes keep working.`
    }
    confirmLabel={t`Remove passkey`}
    isDanger
    isOpen
    onClose={onClose}
    onConfirm={async () => {
      await request('DELETE', `/passkeys/${id}`)
      toast(t`Passkey removed`)
    }}
  />
)

export const NewRecoveryCodes = ({
  onCreated,
  onClose,
}: {
  onCreated: (codes: string[]) => void
  onClose: () => void
}) => (
  <ConfirmDialog
    title={t`Create new recovery codes?`}
    about={t`You’ll get ten new codes. The ones from before stop working.`}
    confirmLabel={t`Create codes`}
    isOpen
    onClose={onClose}
    onConfirm={async () => {
      const { recoveryCodes } = await request<RecoveryCodes>('POST', '/passkeys/recovery-codes')
      onCreated(recoveryCodes)
    }}
  />
)
