import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { t } from '../words/t.ts'
import { Button, IconButton } from './button.tsx'
import { classNames } from './class-names.ts'

/**
 * The element that had focus when a dialog opened. Read during render, because a field with autofocus takes focus
 * before any effect runs. A menu item that disappears is skipped: focus then returns to the menu's button, as usual.
 */
const useOpener = (isOpen: boolean) => {
  const opener = useRef<Element | null>(null)
  const wasOpen = useRef(false)
  if (isOpen && !wasOpen.current) opener.current = document.activeElement
  wasOpen.current = isOpen
  return () => {
    const { current } = opener
    return current instanceof HTMLElement && current.isConnected && current !== document.body ? current : true
  }
}

/** A modal dialog. Focus stays inside and returns to where it was. */
export const Dialog = ({
  title,
  about,
  isOpen,
  onClose,
  isWide = false,
  isHeld = false,
  foot,
  children,
}: {
  title: string
  about?: ReactNode
  isOpen: boolean
  onClose: () => void
  isWide?: boolean
  /** Neither clicking outside nor Escape closes it, because its content is only shown once. */
  isHeld?: boolean
  foot?: ReactNode
  children?: ReactNode
}) => {
  const finalFocus = useOpener(isOpen)
  return (
    <Base.Root
      open={isOpen}
      onOpenChange={(open, { reason }) => !open && !(isHeld && reason === 'escape-key') && onClose()}
      disablePointerDismissal={isHeld}
    >
      <Base.Portal>
        <Base.Backdrop className="scrim" />
        <Base.Viewport className="dialog-place">
          <Base.Popup className={classNames('dialog', isWide && 'dialog--wide')} finalFocus={finalFocus}>
            <div className="dialog__head">
              <Base.Title className="dialog__title">{title}</Base.Title>
              <Base.Close render={<IconButton icon={X} label={t`Close`} hasTooltip={false} />} />
            </div>
            <div className="dialog__body">
              {about && <Base.Description className="dialog__about">{about}</Base.Description>}
              {children}
            </div>
            {foot && <div className="dialog__foot">{foot}</div>}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  )
}

/** Confirms what can't be undone. `onConfirm` may be slow; if it fails, the dialog stays open with the error. */
export const ConfirmDialog = ({
  title,
  about,
  children,
  confirmLabel,
  cancelLabel = t`Cancel`,
  isDanger = false,
  isOpen,
  onClose,
  onConfirm,
}: {
  title: string
  about: ReactNode
  /** What else has to be decided. */
  children?: ReactNode
  confirmLabel: string
  /** Where “Cancel” could be taken for the other one. */
  cancelLabel?: string
  isDanger?: boolean
  isOpen: boolean
  onClose: () => void
  onConfirm: () => Promise<unknown> | undefined
}) => {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const close = () => {
    setProblem(null)
    onClose()
  }
  const confirm = async () => {
    setBusy(true)
    setProblem(null)
    try {
      await onConfirm()
      close()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : t`Something went wrong. Try again.`)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={title}
      about={about}
      isOpen={isOpen}
      onClose={close}
      foot={
        <>
          <Button onClick={close}>{cancelLabel}</Button>
          <Button variant={isDanger ? 'danger' : 'primary'} isBusy={isBusy} onClick={confirm}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      {children}
      {problem && (
        <p className="text-danger" role="alert">
          {problem}
        </p>
      )}
    </Dialog>
  )
}

/** The plain dialog for the command palette and similar. */
export const PaletteDialog = ({
  label,
  isOpen,
  onClose,
  children,
}: {
  label: string
  isOpen: boolean
  onClose: () => void
  children: ReactNode
}) => (
  <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
    <Base.Portal>
      <Base.Backdrop className="scrim" />
      <Base.Viewport className="dialog-place dialog-place--palette">
        <Base.Popup className="dialog dialog--palette" aria-label={label}>
          {children}
        </Base.Popup>
      </Base.Viewport>
    </Base.Portal>
  </Base.Root>
)
