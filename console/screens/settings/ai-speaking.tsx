// When the AI agent speaks, channel by channel.

import { useQuery } from '@tanstack/react-query'
import { CHANNELS } from '../../../channels/names.ts'
import { useApi } from '../../state/session.tsx'
import { tagsQuery } from '../../state/tags.ts'
import type { AiSettings } from '../../state/types.ts'
import { ChannelIcon, channelName } from '../../ui/badge.tsx'
import { CheckGroup, namedOptions } from '../../ui/check-group.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { Select, TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { t } from '../../words/t.ts'

type Speaking = AiSettings['speaking'][keyof AiSettings['speaking']]

const MODES: { value: Speaking['mode']; label: string }[] = [
  { value: 'never', label: 'Never' },
  { value: 'drafts', label: 'Drafts for your team' },
  { value: 'assigned', label: 'When assigned' },
  { value: 'new', label: 'New conversations' },
  { value: 'new_closed', label: 'New conversations outside business hours' },
  { value: 'silent', label: 'When nobody has replied' },
]

const HOURS: { value: Speaking['hours']; label: string }[] = [
  { value: 'always', label: 'At any time' },
  { value: 'open', label: 'During business hours' },
  { value: 'closed', label: 'Outside business hours' },
]

const AFTER_MINUTES_MAX = 1_440

type Props = { speaking: AiSettings['speaking']; onChange: (speaking: AiSettings['speaking']) => void }

export const AiSpeaking = ({ speaking, onChange }: Props) => (
  <Section
    title="When it replies"
    about="Wherever it replies, you can also assign conversations to it. Flows come first, and a conversation that someone on your team has stays with them."
  >
    <ul className="ai-speaking">
      {CHANNELS.map((channel) => (
        <li key={channel} className="ai-speaking__channel">
          <h3 className="ai-speaking__name">
            <ChannelIcon channel={channel} /> {channelName(channel)}
          </h3>
          <ChannelFields
            channel={channel}
            value={speaking[channel]}
            onChange={(value) => onChange({ ...speaking, [channel]: value })}
          />
        </li>
      ))}
    </ul>
  </Section>
)

type FieldsProps = {
  channel: keyof AiSettings['speaking']
  value: Speaking
  onChange: (value: Speaking) => void
}

const ChannelFields = ({ channel, value, onChange }: FieldsProps) => {
  const set = (change: Partial<Speaking>) => onChange({ ...value, ...change })
  return (
    <div className="stack">
      <div className="row row--wrap ai-speaking__mode">
        <Select
          label={`When it replies by ${channelName(channel)}`}
          isLabelHidden
          name={`speaking.${channel}.mode`}
          value={value.mode}
          options={MODES}
          onChange={({ target }) => set({ mode: target.value as Speaking['mode'] })}
        />
        {value.mode === 'silent' && (
          <TextField
            label="After minutes"
            isLabelHidden
            name={`speaking.${channel}.afterMinutes`}
            type="number"
            min={1}
            max={AFTER_MINUTES_MAX}
            required
            value={value.afterMinutes || ''}
            hint="Minutes without a reply, if it’s unassigned"
            onChange={({ target }) => set({ afterMinutes: Number(target.value) })}
          />
        )}
      </div>
      {value.mode !== 'never' && <Conditions channel={channel} value={value} onChange={set} />}
    </div>
  )
}

type ConditionsProps = Omit<FieldsProps, 'onChange'> & { onChange: (change: Partial<Speaking>) => void }

const Conditions = ({ channel, value: { hours, audience }, onChange }: ConditionsProps) => {
  const { data } = useQuery(tagsQuery(useApi()))
  return (
    <Disclosure title={summaryOf({ hours, audience })}>
      <Select
        label="Hours"
        name={`speaking.${channel}.hours`}
        value={hours}
        options={HOURS}
        hint="At other times, its conversations go to your team."
        onChange={({ target }) => onChange({ hours: target.value as Speaking['hours'] })}
      />
      <CodeField
        label="Countries"
        name={`speaking.${channel}.audience.countries`}
        placeholder="e.g. DE, AT"
        codes={audience.countries}
        onChange={(countries) =>
          onChange({ audience: { ...audience, countries: countries.map((code) => code.toUpperCase()) } })
        }
      />
      <CodeField
        label="Languages"
        name={`speaking.${channel}.audience.languages`}
        placeholder="e.g. en, de"
        codes={audience.languages}
        onChange={(languages) =>
          onChange({ audience: { ...audience, languages: languages.map((code) => code.toLowerCase()) } })
        }
      />
      <CheckGroup
        label="Customers with one of these tags"
        options={namedOptions(data?.tags)}
        chosen={audience.tagIds}
        onChange={(tagIds) => onChange({ audience: { ...audience, tagIds } })}
      />
    </Disclosure>
  )
}

type CodeProps = {
  label: string
  name: string
  placeholder: string
  codes: string[]
  onChange: (codes: string[]) => void
}

/** Typed freely, and read when the field is left. */
const CodeField = ({ codes, onChange, ...field }: CodeProps) => (
  <TextField
    {...field}
    key={codes.join()}
    defaultValue={codes.join(', ')}
    hint="Optional"
    onBlur={({ target }) => onChange(target.value.split(/[\s,;]+/).filter((code) => code !== ''))}
  />
)

const count = (number: number, one: string, many: string): string[] =>
  number === 0 ? [] : [number === 1 ? `1 ${one}` : `${number} ${many}`]

const summaryOf = ({ hours, audience }: Pick<Speaking, 'hours' | 'audience'>): string => {
  const parts = [
    ...HOURS.flatMap(({ value, label }) => (value === hours && value !== 'always' ? [label] : [])),
    ...count(audience.countries.length, t`country`, t`countries`),
    ...count(audience.languages.length, t`language`, t`languages`),
    ...count(audience.tagIds.length, t`tag`, t`tags`),
  ]
  return parts.length === 0 ? 'All customers, at any time' : parts.join(' · ')
}
