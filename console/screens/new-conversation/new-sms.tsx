import { Send } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { TextArea, TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { t } from '../../words/t.ts'
import type { StartProps } from './start-props.ts'
import { useStart } from './use-start.ts'

const BODY_MAX = 1600

export const NewSms = ({ sender, person, onStarted }: StartProps) => {
  const start = useStart(onStarted)
  return (
    <Form
      error={start.error}
      onSubmit={({ phone = '', name = '', body = '' }) =>
        start.mutate({ channelId: sender.id, body, phone, ...(name && { name }) })
      }
    >
      <TextField
        label={t`Phone number`}
        name="phone"
        inputMode="tel"
        autoFocus={!person.phone}
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
      <TextArea
        label={t`Message`}
        name="body"
        rows={4}
        maxLength={BODY_MAX}
        autoFocus={Boolean(person.phone)}
        required
      />
      <div className="row">
        <Button type="submit" variant="primary" icon={Send} isBusy={start.isPending}>
          {t`Send`}
        </Button>
      </div>
    </Form>
  )
}
