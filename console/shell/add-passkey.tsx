import { useMutation } from '@tanstack/react-query'
import { request } from '../state/api.ts'
import { makePasskey } from '../state/passkeys.ts'
import type { PasskeyAdded } from '../state/types.ts'
import { TextField } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { toast } from '../ui/toast.tsx'
import { t } from '../words/t.ts'
import { deviceWords } from './device-words.ts'

/** A name, then the browser's own dialog. */
export const AddPasskey = ({
  isFirst,
  onAdded,
  onClose,
}: {
  isFirst: boolean
  onAdded: (added: PasskeyAdded) => void
  onClose: () => void
}) => {
  const add = useMutation({
    mutationFn: async (name: string) =>
      request<PasskeyAdded>('POST', '/passkeys', { body: { name, registration: await makePasskey() } }),
    onSuccess: (added) => {
      toast(t`Passkey added`)
      onAdded(added)
    },
  })
  return (
    <FormDialog
      title={t`Add passkey`}
      about={
        isFirst
          ? t`Your browser will ask for your fingerprint, face, screen lock or security key. After that you’ll get recovery codes.`
          : t`Your browser will ask for your fingerprint, face, screen lock or security key.`
      }
      submitLabel={t`Continue`}
      save={add}
      onSubmit={({ name = '' }) => add.mutate(name)}
      onClose={onClose}
    >
      <TextField
        label={t`Name`}
        name="name"
        defaultValue={deviceWords(navigator.userAgent)}
        hint={t`Where it’s kept, so that you can tell your passkeys apart.`}
        autoFocus
        required
      />
    </FormDialog>
  )
}
