// Adds a customer: a phone number gives them WhatsApp and SMS, an email address gives them mail.
import { useState } from 'react'
import { Button } from '../../console/ui/button.tsx'
import { Dialog } from '../../console/ui/dialog.tsx'
import { TextField } from '../../console/ui/field.tsx'
import { Form } from '../../console/ui/form.tsx'
import { addPerson, type Person } from './client.ts'

const NAME_MAX = 60
const FORM = 'new-customer'

export const NewPerson = ({
  onClose,
  onAdded,
}: {
  onClose: () => void
  onAdded: (person: Person) => void
}) => {
  const [error, setError] = useState<unknown>(null)
  const add = (values: Record<string, string>): void => {
    const entered = Object.entries(values).flatMap(([name, value]) =>
      value.trim() ? [[name, value.trim()]] : [],
    )
    addPerson(Object.fromEntries(entered)).then(onAdded, setError)
  }
  return (
    <Dialog
      title="New customer"
      isOpen
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={FORM}>
            Add customer
          </Button>
        </>
      }
    >
      <Form id={FORM} error={error} onSubmit={add}>
        <TextField label="Name" name="name" hint="Shown in their apps" maxLength={NAME_MAX} autoFocus />
        <TextField
          label="Phone number"
          name="phone"
          hint="With country code, for WhatsApp and SMS"
          inputMode="tel"
          placeholder="+49 151 23456789"
        />
        <TextField
          label="Email address"
          name="email"
          hint="For mail"
          inputMode="email"
          placeholder="name@example.com"
        />
        <TextField
          label="Username"
          name="username"
          hint="For WhatsApp without a number, and Telegram"
          placeholder="lena.draws"
        />
      </Form>
    </Dialog>
  )
}
