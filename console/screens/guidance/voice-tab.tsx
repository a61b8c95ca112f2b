import { Select, TextArea } from '../../ui/field.tsx'
import { ListField } from '../../ui/list-field.tsx'
import { Section } from '../../ui/page.tsx'
import { t } from '../../words/t.ts'
import type { TabProps } from './use-guidance.ts'
import { LENGTHS, optionsOf, readLanguage, readUpTo, TONES } from './words.ts'

/** What it is told in general, and how it writes. */
export const VoiceTab = ({ guidance, onChange }: TabProps) => (
  <div className="stack">
    <Section
      title={t`Instructions`}
      about={t`What it should know and do in every conversation. Facts about your business belong in Knowledge, where it can cite them.`}
    >
      <div className="stack stack--fields">
        <TextArea
          label={t`Instructions`}
          isLabelHidden
          name="instructions"
          rows={10}
          dir="auto"
          maxLength={8_000}
          value={guidance.instructions}
          placeholder={t`e.g. You help the customers of a pottery shop. Offer a repair before a refund.`}
          onChange={({ target }) => onChange({ instructions: target.value }, 'instructions')}
        />
      </div>
    </Section>
    <Section title={t`Voice`}>
      <div className="stack stack--fields">
        <div className="grid-2">
          <Select
            label={t`Tone`}
            value={guidance.tone}
            options={optionsOf(TONES)}
            onChange={({ target }) => onChange({ tone: target.value as typeof guidance.tone })}
          />
          <Select
            label={t`Length of replies`}
            value={guidance.length}
            options={optionsOf(LENGTHS)}
            onChange={({ target }) => onChange({ length: target.value as typeof guidance.length })}
          />
        </div>
        <TextArea
          label={t`Style`}
          name="style"
          rows={2}
          dir="auto"
          maxLength={500}
          value={guidance.style}
          placeholder={t`e.g. Say “you”, never “dear customer”. No emoji.`}
          hint={t`Optional. In your own words.`}
          onChange={({ target }) => onChange({ style: target.value }, 'style')}
        />
        <ListField
          label={t`Languages`}
          hint={t`Two-letter codes, separated by commas. Leave it empty to reply in the customer’s language.`}
          placeholder={t`e.g. en, de`}
          items={guidance.languages}
          itemsMax={20}
          read={readLanguage}
          problem={t`Use codes such as en or de.`}
          onChange={(languages) => onChange({ languages }, 'languages')}
        />
      </div>
    </Section>
    <Section title={t`Topics for people`} about={t`It hands these over to your team without answering.`}>
      <div className="stack stack--fields">
        <ListField
          label={t`Topics`}
          areLines
          hint={t`One per line. Optional.`}
          placeholder={t`e.g. complaints about staff`}
          items={guidance.sensitiveTopics}
          itemsMax={20}
          read={readUpTo(100)}
          problem={t`At most 100 characters each.`}
          onChange={(sensitiveTopics) => onChange({ sensitiveTopics }, 'topics')}
        />
      </div>
    </Section>
  </div>
)
