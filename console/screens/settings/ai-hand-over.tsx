// What customers read when the AI agent hands over, and whom it goes to.
import { useQuery } from '@tanstack/react-query'
import { agentsQuery } from '../../state/agents.ts'
import { OFFERED_LANGUAGES } from '../../state/languages.ts'
import { useApi } from '../../state/session.tsx'
import { tagsQuery } from '../../state/tags.ts'
import { teamsQuery } from '../../state/teams.ts'
import { languageName } from '../../state/templates.ts'
import type { AiSettings } from '../../state/types.ts'
import { Checkbox, Select, TextArea } from '../../ui/field.tsx'
import { FormRow, FormRows } from '../../ui/form-rows.tsx'
import { Section } from '../../ui/page.tsx'
import { t } from '../../words/t.ts'

const TEXT_MAX = 500
/** One language's, while it is edited. */
export type HandOverText = { language: string; text: string }

export const textsOf = (texts: AiSettings['handOverTexts']): HandOverText[] =>
  Object.entries(texts).map(([language, text]) => ({ language, text }))

export const toTexts = (texts: readonly HandOverText[]): AiSettings['handOverTexts'] =>
  Object.fromEntries(texts.map(({ language, text }) => [language, text]))

type Props = {
  draft: AiSettings
  texts: HandOverText[]
  onTexts: (texts: HandOverText[]) => void
  onChange: (change: Partial<AiSettings>) => void
}

export const AiHandOver = ({ draft, texts, onTexts, onChange }: Props) => (
  <Section title={t`When it hands over`}>
    <div className="stack stack--fields">
      <TextArea
        label={t`Message to the customer`}
        name="expectation"
        rows={2}
        value={draft.expectation ?? ''}
        maxLength={TEXT_MAX}
        placeholder={t`Someone from our team will reply here.`}
        hint={t`Optional. {{expectation}} becomes the usual text, in the customer’s language: how long a reply takes, or when you’re back if you’re closed.`}
        onChange={({ target }) => onChange({ expectation: target.value })}
      />
      <Texts texts={texts} onChange={onTexts} />
      <Checkbox
        label={t`Ask for an email address or phone number while you’re closed`}
        hint={t`In the chat box, Telegram and Messenger, if neither is known. What the customer gives is stored as unverified.`}
        checked={draft.asksAddress}
        onChange={({ target }) => onChange({ asksAddress: target.checked })}
      />
      <Receiver value={draft.handOver} onChange={(handOver) => onChange({ handOver })} />
    </div>
  </Section>
)

const Texts = ({ texts, onChange }: { texts: HandOverText[]; onChange: (texts: HandOverText[]) => void }) => {
  const used = texts.map(({ language }) => language)
  const next = OFFERED_LANGUAGES.find((language) => !used.includes(language))
  const set = (index: number, change: Partial<HandOverText>) =>
    onChange(texts.map((one, at) => (at === index ? { ...one, ...change } : one)))
  return (
    <FormRows
      label={t`By language`}
      about={t`Customers who write in one of these languages get its text instead.`}
      addLabel={t`Add language`}
      onAdd={next ? () => onChange([...texts, { language: next, text: '' }]) : undefined}
    >
      {texts.map(({ language, text }, index) => (
        <FormRow
          key={language}
          removeLabel={t`Remove ${languageName(language)}`}
          onRemove={() => onChange(texts.filter((_, at) => at !== index))}
        >
          <Select
            label={t`Language`}
            value={language}
            options={[...new Set([language, ...OFFERED_LANGUAGES])]
              .filter((one) => one === language || !used.includes(one))
              .map((value) => ({ value, label: languageName(value) }))}
            onChange={({ target }) => set(index, { language: target.value })}
          />
          <TextArea
            label={t`Message`}
            name={`handOverTexts.${language}`}
            rows={2}
            lang={language}
            dir="auto"
            value={text}
            maxLength={TEXT_MAX}
            placeholder={t`{{expectation}}`}
            onChange={({ target }) => set(index, { text: target.value })}
          />
        </FormRow>
      ))}
    </FormRows>
  )
}

type ReceiverProps = {
  value: AiSettings['handOver']
  onChange: (value: AiSettings['handOver']) => void
}

const Receiver = ({ value, onChange }: ReceiverProps) => {
  const api = useApi()
  const { data: agents } = useQuery(agentsQuery(api))
  const { data: tags } = useQuery(tagsQuery(api))
  const { data: teams = [] } = useQuery(teamsQuery(api))
  const people = (agents?.agents ?? []).filter(({ role }) => role !== 'ai')
  return (
    <>
      <Select
        label={t`Assign to`}
        name="handOver.agentId"
        value={value.agentId ?? ''}
        options={[
          { value: '', label: t`Nobody` },
          ...people.map(({ id, nickname }) => ({ value: id, label: nickname })),
        ]}
        onChange={({ target }) => onChange({ ...value, agentId: target.value || null })}
      />
      {teams.length > 0 && (
        <Select
          label={t`Hand over to team`}
          name="handOver.teamId"
          value={value.teamId ?? ''}
          options={[
            { value: '', label: t`No team` },
            ...teams.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          hint={t`Conversations that are in a team already stay there.`}
          onChange={({ target }) => onChange({ ...value, teamId: target.value || null })}
        />
      )}
      <Select
        label={t`Tag the customer`}
        name="handOver.tagId"
        value={value.tagId ?? ''}
        options={[
          { value: '', label: t`No tag` },
          ...(tags?.tags ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={({ target }) => onChange({ ...value, tagId: target.value || null })}
      />
    </>
  )
}
