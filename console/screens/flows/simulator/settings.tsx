// What the simulation starts with. A change plays the moves again.
import { useMemo } from 'react'
import { CHANNELS } from '../../../../channels/names.ts'
import type { FlowDefinition } from '../../../../flow-engine/schema.ts'
import { languageName } from '../../../state/templates.ts'
import { channelName } from '../../../ui/channel-name.ts'
import { Disclosure } from '../../../ui/disclosure.tsx'
import { Select, TextField } from '../../../ui/field.tsx'
import { rich, t } from '../../../words/t.ts'
import { flowChannels } from '../channel-facts.ts'
import type { Names } from '../definition/words.ts'
import type { Setup } from './play.ts'
import { type CallSetup, callsOf, languagesOf, toCalls } from './setup.ts'

type Props = {
  definition: FlowDefinition
  setup: Setup
  names: Names
  now: number
  onChange: (changes: Partial<Setup>) => void
}

export const Settings = (props: Props) => {
  const { definition, setup, onChange } = props
  const languages = useMemo(() => languagesOf(definition), [definition])
  const channels = flowChannels(definition)
  return (
    <div className="stack">
      <div className="simulator__settings">
        <Select
          label={t`Channel`}
          value={setup.channel}
          options={CHANNELS.map((value) => ({
            value,
            label: channels.includes(value) ? channelName(value) : t`${channelName(value)} (no trigger)`,
          }))}
          onChange={({ target }) =>
            onChange({ channel: CHANNELS.find((one) => one === target.value) ?? 'web' })
          }
        />
        <Select
          label={t`Language`}
          value={setup.language ?? ''}
          options={languages.map((value) => ({ value, label: languageName(value) }))}
          onChange={({ target }) => onChange({ language: target.value })}
        />
      </div>
      <Disclosure title={t`Customer and conditions`}>
        <Conditions setup={setup} onChange={onChange} />
        <Calls {...props} />
      </Disclosure>
    </div>
  )
}

const HOURS = [
  { value: '', label: t`As in the settings` },
  { value: 'open', label: t`We’re open` },
  { value: 'closed', label: t`We’re closed` },
]

const Conditions = ({ setup, onChange }: Pick<Props, 'setup' | 'onChange'>) => {
  const contact = setup.contact ?? {}
  const field = (name: 'name' | 'email' | 'phone', label: string, type = 'text') => (
    <TextField
      label={label}
      type={type}
      autoComplete="off"
      placeholder={t`Unknown`}
      value={contact[name] ?? ''}
      onChange={({ target }) => onChange({ contact: { ...contact, [name]: target.value } })}
    />
  )
  const { headline = '' } = setup.referral ?? {}
  return (
    <div className="grid-2">
      {field('name', t`Customer’s name`)}
      {field('email', t`Customer’s email`, 'email')}
      {field('phone', t`Customer’s phone`, 'tel')}
      <Select
        label={t`Business hours`}
        value={setup.hours ?? ''}
        options={HOURS}
        onChange={({ target }) =>
          onChange({ hours: ({ open: 'open', closed: 'closed' } as const)[target.value] })
        }
      />
      <TextField
        label={t`Came from an ad`}
        placeholder={t`No`}
        value={headline}
        onChange={({ target }) =>
          onChange({ referral: target.value ? { headline: target.value, sourceType: 'ad' } : undefined })
        }
      />
    </div>
  )
}

const STATUSES = [
  { value: '200', label: t`Found (200)` },
  { value: '404', label: t`Not found (404)` },
  { value: '422', label: t`Refused (422)` },
  { value: '500', label: t`Failed (500)` },
  { value: '0', label: t`No response` },
]

/** What each action answers: its status, and the fields that the flow reads. */
const Calls = ({ definition, setup, names, now, onChange }: Props) => {
  const samples = useMemo(() => callsOf(definition, now), [definition, now])
  const calls = samples.map((sample): CallSetup => {
    const set = setup.calls?.find(({ action }) => action === sample.action)
    if (!set) return sample
    const body = (set.answer.body ?? {}) as Record<string, string>
    return { ...sample, status: set.answer.status, fields: { ...sample.fields, ...body } }
  })
  const change = (changed: CallSetup): void =>
    onChange({ calls: toCalls(calls.map((call) => (call.action === changed.action ? changed : call))) })
  return calls.map((call) => (
    <fieldset key={call.action} className="stack">
      <legend className="field__label">
        {rich`Response from ${names.name('action', call.actionId) || t`the action`}`}
      </legend>
      <Select
        label={t`Status`}
        isLabelHidden
        value={String(call.status)}
        options={STATUSES}
        onChange={({ target }) => change({ ...call, status: Number(target.value) })}
      />
      {call.status === 200 && (
        <div className="grid-2">
          {Object.entries(call.fields).map(([name, value]) => (
            <TextField
              key={name}
              label={name}
              value={value}
              onChange={({ target }) => change({ ...call, fields: { ...call.fields, [name]: target.value } })}
            />
          ))}
        </div>
      )}
    </fieldset>
  ))
}
