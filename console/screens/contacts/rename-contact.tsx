import type { Profile } from '../../state/types.ts'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { NAME_MAX, useContactChange } from './contact-fields.tsx'

const RenameContact = ({ contact, onClose }: { contact: Profile['contact']; onClose: () => void }) => {
  const save = useContactChange(contact.id, onClose)
  return (
    <FormDialog
      title="Rename contact"
      save={save}
      onSubmit={({ name = '' }) => save.mutate({ name: name.trim() })}
      onClose={onClose}
    >
      <TextField label="Name" name="name" defaultValue={contact.name} maxLength={NAME_MAX} autoFocus />
    </FormDialog>
  )
}
export default RenameContact
