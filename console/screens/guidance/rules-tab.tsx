import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react'
import { Button, IconButton } from '../../ui/button.tsx'
import { ChannelChoice } from '../../ui/channel-choice.tsx'
import { CheckGroup, namedOptions } from '../../ui/check-group.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { Select, TextArea, TextField } from '../../ui/field.tsx'
import { ListField } from '../../ui/list-field.tsx'
import { Section } from '../../ui/page.tsx'
import { rich, t } from '../../words/t.ts'
import type { TabProps } from './use-guidance.ts'
import { ACTIONS, FOR_ALL, HOURS, optionsOf, readCountry, readLanguage } from './words.ts'

const RULES_MAX = 50
/** As the server picks them. */
const FITTING_RULES_MAX = 12

type Rule = TabProps['guidance']['rules'][number]

const NEW: Rule = { when: '', action: 'say', text: '', only: FOR_ALL }

const PLACEHOLDERS: Record<Rule['action'], string> = {
  say: t`e.g. We offer no discounts, but shipping is free from 50 €.`,
  ask: t`e.g. What is your order number?`,
  handOver: t`Optional. For your team.`,
  never: t`e.g. promise a delivery date`,
}

export const RulesTab = ({ guidance: { rules }, names, onChange }: TabProps) => {
  const set = (next: Rule[], topic: string | null = null) => onChange({ rules: next }, topic)
  const change = (index: number, part: Partial<Rule>, topic: string | null = null) =>
    set(
      rules.map((rule, at) => (at === index ? { ...rule, ...part } : rule)),
      topic && `rule ${index} ${topic}`,
    )
  const move = (from: number, to: number) => {
    const next = [...rules]
    next.splice(to, 0, ...next.splice(from, 1))
    set(next)
  }
  return (
    <div className="stack">
      <p className="text-soft">
        {rich`For each message, the first ${FITTING_RULES_MAX} rules that fit the customer are used. Put the most important first.`}
      </p>
      {rules.map((rule, index) => (
        <Section
          // biome-ignore lint/suspicious/noArrayIndexKey: rules have no identity, and may be there twice
          key={index}
          title={t`Rule ${index + 1}`}
          actions={
            <div className="row">
              <IconButton
                icon={ArrowUp}
                label={t`Move rule ${index + 1} up`}
                disabled={index === 0}
                onClick={() => move(index, index - 1)}
              />
              <IconButton
                icon={ArrowDown}
                label={t`Move rule ${index + 1} down`}
                disabled={index === rules.length - 1}
                onClick={() => move(index, index + 1)}
              />
              <IconButton
                icon={X}
                label={t`Remove rule ${index + 1}`}
                onClick={() => set(rules.filter((_, at) => at !== index))}
              />
            </div>
          }
        >
          <RuleFields rule={rule} index={index} names={names} onChange={change} />
        </Section>
      ))}
      <div>
        <Button icon={Plus} disabled={rules.length >= RULES_MAX} onClick={() => set([...rules, NEW])}>
          {t`Add rule`}
        </Button>
      </div>
    </div>
  )
}

type RuleProps = {
  rule: Rule
  index: number
  names: TabProps['names']
  onChange: (index: number, part: Partial<Rule>, topic?: string) => void
}

const RuleFields = ({ rule, index, names, onChange }: RuleProps) => (
  <div className="stack stack--fields">
    <TextField
      label={t`When`}
      name={`rules[${index}].when`}
      dir="auto"
      maxLength={300}
      value={rule.when}
      placeholder={t`e.g. the customer asks for a discount`}
      hint={t`In plain words. Leave it empty for a rule that always holds.`}
      onChange={({ target }) => onChange(index, { when: target.value }, 'when')}
    />
    <Select
      label={t`Then`}
      value={rule.action}
      options={optionsOf(ACTIONS)}
      onChange={({ target }) => onChange(index, { action: target.value as Rule['action'] })}
    />
    <TextArea
      label={ACTIONS[rule.action]}
      name={`rules[${index}].text`}
      rows={2}
      dir="auto"
      maxLength={1_000}
      value={rule.text}
      placeholder={PLACEHOLDERS[rule.action]}
      onChange={({ target }) => onChange(index, { text: target.value }, 'text')}
    />
    <Condition rule={rule} index={index} names={names} onChange={onChange} />
  </div>
)

const countOf = ({ channels, countries, tagIds, languages, hours }: Rule['only']): number =>
  [channels, countries, tagIds, languages].filter(({ length }) => length > 0).length +
  (hours === 'always' ? 0 : 1)

const Condition = ({ rule: { only }, index, names, onChange }: RuleProps) => {
  const set = (part: Partial<Rule['only']>, topic?: string) =>
    onChange(index, { only: { ...only, ...part } }, topic)
  const count = countOf(only)
  return (
    <Disclosure
      title={
        count === 0
          ? t`For all customers`
          : t`Only some customers (${count} ${count === 1 ? t`condition` : t`conditions`})`
      }
      about={t`Customers must match every list that isn’t empty.`}
    >
      <ChannelChoice chosen={only.channels} onChange={(channels) => set({ channels })} />
      <CheckGroup
        label={t`Customers with one of these tags`}
        name={`rules[${index}].only.tagIds`}
        options={namedOptions(names.tags)}
        chosen={only.tagIds}
        onChange={(tagIds) => set({ tagIds })}
      />
      <div className="grid-2">
        <ListField
          label={t`Countries`}
          placeholder={t`e.g. DE, AT`}
          items={only.countries}
          itemsMax={250}
          read={readCountry}
          problem={t`Use codes such as DE or AT.`}
          onChange={(countries) => set({ countries }, 'countries')}
        />
        <ListField
          label={t`Customers’ languages`}
          placeholder={t`e.g. en, de`}
          items={only.languages}
          itemsMax={100}
          read={readLanguage}
          problem={t`Use codes such as en or de.`}
          onChange={(languages) => set({ languages }, 'languages')}
        />
      </div>
      <Select
        label={t`When you’re open`}
        value={only.hours}
        options={optionsOf(HOURS)}
        onChange={({ target }) => set({ hours: target.value as Rule['only']['hours'] })}
      />
    </Disclosure>
  )
}
