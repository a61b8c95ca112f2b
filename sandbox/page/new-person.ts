// One more customer: with a phone number they are on WhatsApp and SMS, with an address they have mail.
import { addPerson, type Json, type Person } from './control-client.ts'
import { element } from './element.ts'
import type { Ask } from './tools.ts'

const field = (name: string, label: string, hint: string, more: Json = {}): HTMLElement =>
  element(
    'label',
    { class: 'field' },
    element('span', {}, label),
    element('input', { name, 'aria-label': label, autocomplete: 'off', ...more }),
    element('small', {}, hint),
  )

export const makeNewPerson = (ask: Ask, onAdded: (person: Person) => Promise<void>): HTMLDialogElement => {
  const form = element(
    'form',
    { method: 'dialog' },
    element('h2', {}, 'New customer'),
    field('name', 'Name', 'As it stands in their apps.', { maxlength: 60, required: true }),
    field('phone', 'Phone number', 'With country code, for WhatsApp and SMS.', {
      inputmode: 'tel',
      placeholder: '+49 151 23456789',
    }),
    field('email', 'Email address', 'For mail.', { type: 'email', placeholder: 'name@example.com' }),
    field('username', 'Username', 'For WhatsApp without a number, and Telegram.', {
      pattern: '[a-zA-Z0-9._]{3,35}',
      placeholder: 'lena.draws',
    }),
    element(
      'div',
      { class: 'pair' },
      element(
        'button',
        { type: 'button', class: 'action quiet', on: { click: () => dialog.close() } },
        'Cancel',
      ),
      element('button', { type: 'submit', class: 'action' }, 'Add'),
    ),
  )
  const dialog = element('dialog', { 'aria-label': 'New customer' }, form)
  form.addEventListener('submit', () => {
    const entered = Object.fromEntries(
      [...new FormData(form)]
        .map(([name, value]) => [name, String(value).trim()])
        .filter(([, value]) => value),
    )
    ask(async () => {
      const person = await addPerson(entered)
      form.reset()
      await onAdded(person)
    })
  })
  return dialog
}
