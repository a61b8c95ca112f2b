// When the AI agent speaks, channel by channel.

import { useQuery } from '@tanstack/react-query'
import { CHANNELS } from '../../../channels/names.ts'
import { useApi } from '../../state/session.tsx'
import { tagsQuery } from '../../state/tags.ts'
import type { AiSettings } from '../../state/types.ts'
import { ChannelIcon } from '../../ui/badge.tsx'
import { channelName } from '../../ui/channel-name.ts'
import { CheckGroup, namedOptions } from '../../ui/check-group.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { Select, TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { t } from '../../words/t.ts'

type Speaking = AiSettings['speaking'][keyof AiSettings['speaking']]

const MODES: { value: Speaking['mode']; label: string }[] = [
  { value: 'never', label: t`Never` },
  { value: 'drafts', label: t`Drafts for your team` },
  { value: 'assigned', label: t`When assigned` },
  { value: 'new', label: t`New conversations` },
  { value: 'new_closed', label: t`New conversations outside business hours` },
  { value: 'silent', label: t`When nobody has replied` },
]

const HOURS: { value: Speaking['hours']; label: string }[] = [
  { value: 'always', label: t`At any time` },
  { value: 'open', label: t`During business hours` },
  { value: 'closed', label: t`Outside business hours` },
]

const AFTER_MINUTES_MAX = 1_440

type Props = { speaking: AiSettings['speaking']; onChange: (speaking: AiSettings['speaking']) => void }

export const AiSpeaking = ({ speaking, onChange }: Props) => (
  <Section
    title={t`When it replies`}
    about={t`Wherever it replies, you can also assign conversations to it. Flows come first, and a conversation that someone on your team has stays with them.`}
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
          label={t`When it replies by ${channelName(channel)}`}
          isLabelHidden
          name={`speaking.${channel}.mode`}
          value={value.mode}
          options={MODES}
          onChange={({ target }) => set({ mode: target.value as Speaking['mode'] })}
        />
        {value.mode === 'silent' && (
          <TextField
            label={t`After minutes`}
            isLabelHidden
            name={`speaking.${channel}.afterMinutes`}
            type="number"
            min={1}
            max={AFTER_MINUTES_MAX}
            required
            value={value.afterMinutes || ''}
            hint={t`Minutes without a reply, if it’s unassigned`}
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
        label={t`Hours`}
        name={`speaking.${channel}.hours`}
        value={hours}
        options={HOURS}
        hint={t`At other times, its conversations go to your team.`}
        onChange={({ target }) => onChange({ hours: target.value as Speaking['hours'] })}
      />
      <CodeField
        label={t`Countries`}
        name={`speaking.${channel}.audience.countries`}
        placeholder={t`e.g. DE, AT`}
        codes={audience.countries}
        onChange={(countries) =>
          onChange({ audience: { ...audience, countries: countries.map((code) => code.toUpperCase()) } })
        }
      />
      <CodeField
        label={t`Languages`}
        name={`speaking.${channel}.audience.languages`}
        placeholder={t`e.g. en, de`}
        codes={audience.languages}
        onChange={(languages) =>
          onChange({ audience: { ...audience, languages: languages.map((code) => code.toLowerCase()) } })
        }
      />
      <CheckGroup
        label={t`Customers with one of these tags`}
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
    hint={t`Optional`}
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
  return parts.length === 0 ? t`All customers, at any time` : parts.join(' · ')
}
