import { type ComponentProps, type ReactNode, useId } from 'react'
import { t } from '../words/t.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Form } from './form.tsx'
import { Skeleton } from './spinner.tsx'

/** A dialog that is one form: Enter or its button submits, and errors keep it open. */
export const FormDialog = ({
  title,
  about,
  submitLabel = t`Save`,
  save,
  isLoading = false,
  onClose,
  ...form
}: {
  title: string
  about?: ReactNode
  submitLabel?: string
  /** The mutation that `onSubmit` starts. */
  save: { error: unknown; isPending: boolean }
  /** What the form shows has not been loaded yet. */
  isLoading?: boolean
  onClose: () => void
} & Pick<ComponentProps<typeof Form>, 'fieldOf' | 'onSubmit' | 'children'>) => {
  const id = useId()
  return (
    <Dialog
      title={title}
      about={about}
      isOpen
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t`Cancel`}</Button>
          <Button type="submit" form={id} variant="primary" isBusy={save.isPending} disabled={isLoading}>
            {submitLabel}
          </Button>
        </>
      }
    >
      {isLoading ? <Skeleton lines={4} /> : <Form id={id} error={save.error} {...form} />}
    </Dialog>
  )
}
