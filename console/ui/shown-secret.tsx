import type { ReactNode } from 'react'
import { t } from '../words/t.ts'
import { Banner } from './banner.tsx'
import { Button } from './button.tsx'
import { CopyField } from './copy-field.tsx'
import { Dialog } from './lazy-dialogs.ts'

/** A secret, the only time that it is shown. To be rendered inside Suspense. */
export const ShownSecret = ({
  title,
  label,
  secret,
  onClose,
  children,
}: {
  title: string
  label: string
  secret: string
  onClose: () => void
  children?: ReactNode
}) => (
  <Dialog
    title={title}
    isOpen
    isHeld
    onClose={onClose}
    foot={
      <Button variant="primary" onClick={onClose}>
        {t`I’ve copied it`}
      </Button>
    }
  >
    <div className="stack stack--fields">
      <Banner tone="warn">{t`Copy it now. You won’t be able to see it again.`}</Banner>
      <CopyField label={label} value={secret} isFocused />
      {children}
    </div>
  </Dialog>
)
