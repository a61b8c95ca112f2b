// A shop's number and a few sample customers: the same people in every app.
import type { Control } from './control.ts'
import type { Hub } from './hub.ts'

export const DEFAULT_NUMBER = {
  id: '106540352242922',
  businessAccountId: '102290129340398',
  displayPhoneNumber: '+1 555-078-3881',
  verifiedName: 'Hollow & Kiln',
}

const SAMPLES: { customer: Parameters<Control['addCustomer']>[0]; email: string }[] = [
  { customer: { phone: '+49 1512 3456789', profileName: 'Änne Köhler' }, email: 'anne.koehler@example.com' },
  { customer: { phone: '+1 650-555-1234', profileName: 'Marcus Webb' }, email: 'marcus.webb@example.com' },
  { customer: { phone: '+55 11 96543-2109', profileName: 'Joana Prado' }, email: 'joana.prado@example.com' },
  {
    customer: { username: 'lena.draws', profileName: 'Lena', userId: 'US.13491208655302741918' },
    email: 'lena@example.com',
  },
]

export const addSamples = ({ addCustomer }: Pick<Control, 'addCustomer'>, { people }: Hub): void => {
  for (const { customer, email } of SAMPLES) {
    const { id } = addCustomer({ ...customer, receipts: 'opened' })
    const person = people.list().find(({ whatsapp }) => whatsapp?.id === id)
    if (person) people.giveEmail(person, email)
  }
}
