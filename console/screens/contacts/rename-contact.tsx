import { useId } from 'react'
import type { Profile } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { NAME_MAX, useContactChange } from './contact-fields.tsx'

const RenameContact = ({ contact, onClose }: { contact: Profile['contact']; onClose: () => void }) => {
  const form = useId()
  const save = useContactChange(contact.id, onClose)
  return (
    <Dialog
      title="Rename contact"
      isOpen
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" isBusy={save.isPending}>
            Save
          </Button>
        </>
      }
    >
      <Form id={form} error={save.error} onSubmit={({ name = '' }) => save.mutate({ name: name.trim() })}>
        <TextField label="Name" name="name" defaultValue={contact.name} maxLength={NAME_MAX} autoFocus />
      </Form>
    </Dialog>
  )
}
export default RenameContact
