import { FileText } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { t } from '../../words/t.ts'
import type { StartProps } from './start-props.ts'

const TemplatePicker = lazy(() => import('../inbox/template-picker.tsx'))

export const NewTemplate = ({ sender, person, onStarted }: StartProps) => {
  const [to, setTo] = useState<{ phone: string; name: string } | null>(null)
  return (
    <>
      <Form error={null} onSubmit={({ phone = '', name = '' }) => setTo({ phone, name })}>
        <TextField
          label={t`WhatsApp number`}
          name="phone"
          inputMode="tel"
          autoFocus
          defaultValue={person.phone ?? ''}
          hint={t`With country code, e.g. +14155550123.`}
          required
        />
        <TextField
          label={t`Name`}
          name="name"
          defaultValue={person.name ?? ''}
          hint={t`Optional. Only used if the number is new.`}
        />
        <div className="row">
          <Button type="submit" variant="primary" icon={FileText}>
            {t`Choose a template`}
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
