import { Download } from 'lucide-react'
import { saveFile } from '../state/save-file.ts'
import { Banner } from '../ui/banner.tsx'
import { Button } from '../ui/button.tsx'
import { CopyField } from '../ui/copy-field.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { t } from '../words/t.ts'

/** The codes, the only time that they are shown. */
export const RecoveryCodesDialog = ({
  codes,
  email,
  onClose,
}: {
  codes: string[]
  email: string
  onClose: () => void
}) => {
  const text = codes.join('\n')
  const save = (): void =>
    saveFile(
      'foyer-recovery-codes.txt',
      t`Recovery codes for ${email} at ${location.origin}. Each works once.\n\n${text}\n`,
      'text/plain',
    )
  return (
    <Dialog
      title={t`Save your recovery codes`}
      about={t`If you don’t have your passkey, sign in with one of these instead. Each works once.`}
      isOpen
      isHeld
      onClose={onClose}
      foot={
        <>
          <Button icon={Download} onClick={save}>
            {t`Download`}
          </Button>
          <Button variant="primary" onClick={onClose}>
            {t`I’ve saved them`}
          </Button>
        </>
      }
    >
      <div className="stack stack--fields">
        <Banner tone="warn">
          {t`Keep them somewhere safe, away from this device. You won’t be able to see them again.`}
        </Banner>
        <CopyField label={t`Recovery codes`} value={text} isFocused />
      </div>
    </Dialog>
  )
}
