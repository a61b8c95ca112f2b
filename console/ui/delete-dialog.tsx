import { t } from '../words/t.ts'
import { ConfirmDialog } from './dialog.tsx'
import { toast } from './toast.tsx'

/** Confirms a deletion and says when it is done. If `onDelete` fails, the dialog stays open with the error. */
export const DeleteDialog = ({
  what,
  name,
  about,
  onDelete,
  onClose,
}: {
  /** Such as `group`. */
  what: string
  name: string
  /** What happens to things that depend on it. */
  about?: string
  onDelete: () => Promise<unknown>
  onClose: () => void
}) => (
  <ConfirmDialog
    title={t`Delete ${what} “${name}”?`}
    about={about ? t`${about} This can’t be undone.` : t`This can’t be undone.`}
    confirmLabel={t`Delete ${what}`}
    isDanger
    isOpen
    onClose={onClose}
    onConfirm={async () => {
      await onDelete()
      toast(t`${what.charAt(0).toUpperCase()}${what.slice(1)} deleted`)
    }}
  />
)
