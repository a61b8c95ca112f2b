// What the model's provider may read, and how long exactly that can be looked at.
import type { AiSettings } from '../../state/types.ts'
import { Checkbox, TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { t } from '../../words/t.ts'

type Privacy = AiSettings['privacy']

const DAYS_MAX = 365

export const AiPrivacy = ({
  privacy,
  onChange,
}: {
  privacy: Privacy
  onChange: (privacy: Privacy) => void
}) => (
  <Section
    title={t`Privacy`}
    about={t`Card numbers, bank accounts and passwords are never sent to your model’s provider.`}
  >
    <div className="stack stack--fields">
      <Checkbox
        label={t`Hide email addresses and phone numbers`}
        name="privacy.hidesContacts"
        checked={privacy.hidesContacts}
        hint={t`They are replaced before anything is sent, and put back in replies.`}
        onChange={({ target }) => onChange({ ...privacy, hidesContacts: target.checked })}
      />
      <Checkbox
        label={t`Send customers’ pictures to the provider`}
        name="privacy.sendsPictures"
        checked={privacy.sendsPictures}
        hint={t`Up to four of the latest, if the model can see pictures: the check under Model says so. Nothing that they show can be hidden. When off, the model is told that there is a picture, and hands over if the question depends on it.`}
        onChange={({ target }) => onChange({ ...privacy, sendsPictures: target.checked })}
      />
      <TextField
        label={t`Keep requests for (days)`}
        name="privacy.requestsKeptDays"
        type="number"
        min={0}
        max={DAYS_MAX}
        step={1}
        value={String(privacy.requestsKeptDays)}
        hint={t`So that you can see exactly what was sent. 0 keeps nothing.`}
        onChange={({ target }) => onChange({ ...privacy, requestsKeptDays: Number(target.value) })}
      />
    </div>
  </Section>
)
