import type { Profile } from '../../state/types.ts'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { t } from '../../words/t.ts'
import { NAME_MAX, useContactChange } from './contact-fields.tsx'

const RenameContact = ({ contact, onClose }: { contact: Profile['contact']; onClose: () => void }) => {
  const save = useContactChange(contact.id, onClose)
  return (
    <FormDialog
      title={t`Rename contact`}
      save={save}
      onSubmit={({ name = '' }) => save.mutate({ name: name.trim() })}
      onClose={onClose}
    >
      <TextField label={t`Name`} name="name" defaultValue={contact.name} maxLength={NAME_MAX} autoFocus />
    </FormDialog>
  )
}
export default RenameContact
