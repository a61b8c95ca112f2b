import { FileText } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import type { StartProps } from './start-props.ts'

const TemplatePicker = lazy(() => import('../inbox/template-picker.tsx'))

export const NewTemplate = ({ sender, person, onStarted }: StartProps) => {
  const [to, setTo] = useState<{ phone: string; name: string } | null>(null)
  return (
    <>
      <Form error={null} onSubmit={({ phone = '', name = '' }) => setTo({ phone, name })}>
        <TextField
          label="WhatsApp number"
          name="phone"
          inputMode="tel"
          autoFocus
          defaultValue={person.phone ?? ''}
          hint="With country code, e.g. +14155550123."
          required
        />
        <TextField
          label="Name"
          name="name"
          defaultValue={person.name ?? ''}
          hint="Optional. Only used if the number is new."
        />
        <div className="row">
          <Button type="submit" variant="primary" icon={FileText}>
            Choose a template
          </Button>
        </div>
      </Form>
      <Suspense>
        {to && (
          <TemplatePicker
            start={{ to: to.phone, from: sender.id, ...(to.name && { name: to.name }), onStarted }}
            onClose={() => setTo(null)}
          />
        )}
      </Suspense>
    </>
  )
}
