import type { Channel, ShownChannel } from '../../state/types.ts'
import { Disclosure } from '../../ui/disclosure.tsx'
import { Select, TextArea, TextField } from '../../ui/field.tsx'
import { SecretField } from '../../ui/secret-field.tsx'
import { CHANNEL_KINDS, type ChannelField } from './channel-kinds.ts'

const VALUE_MAX = 4096

/** The fields of a kind; with `channel`, as they are now. */
export const ChannelFields = ({ kind, channel }: { kind: Channel; channel?: ShownChannel }) => {
  const { fields, parts } = CHANNEL_KINDS[kind]
  const isUsed = ({ name }: ChannelField): boolean =>
    channel !== undefined && (channel.secretsSet.includes(name) || shownValue(channel, name) !== '')
  return (
    <>
      {fields.map((field) => (
        <Field key={field.name} field={field} channel={channel} />
      ))}
      {parts.map(({ title, about, fields }) => (
        <Disclosure key={title} title={title} about={about} isOpen={fields.some(isUsed)}>
          {fields.map((field) => (
            <Field key={field.name} field={field} channel={channel} />
          ))}
        </Disclosure>
      ))}
    </>
  )
}

/** As it stands in a field. The address is in a field of another name for each kind. */
const shownValue = (channel: ShownChannel, name: string): string => {
  if (name === 'name') return channel.name === channel.address ? '' : channel.name
  if (name === 'phoneNumber' || name === 'address') return channel.address ?? ''
  const value = channel.settings[name]
  if (Array.isArray(value)) return value.join('\n')
  return value === null || value === undefined ? '' : String(value)
}

const Field = ({ field, channel }: { field: ChannelField; channel?: ShownChannel }) => {
  const { name, label, hint, kind, isOptional, isOwn, inputMode, placeholder, choices } = field
  if (kind === 'secret')
    return (
      <SecretField
        label={label}
        name={name}
        hint={hint}
        isSet={channel?.secretsSet.includes(name)}
        isOptional={isOptional}
        isOwn={isOwn}
        placeholder={placeholder}
        maxLength={VALUE_MAX}
      />
    )
  const defaultValue = channel ? shownValue(channel, name) : ''
  if (kind === 'lines')
    return (
      <TextArea
        label={label}
        name={name}
        hint={hint}
        rows={3}
        defaultValue={defaultValue}
        spellCheck={false}
      />
    )
  if (kind === 'choice')
    return (
      <Select label={label} name={name} hint={hint} options={choices ?? []} defaultValue={defaultValue} />
    )
  return (
    <TextField
      label={label}
      name={name}
      hint={hint}
      inputMode={inputMode}
      placeholder={placeholder}
      defaultValue={defaultValue}
      maxLength={VALUE_MAX}
      autoComplete="off"
      spellCheck={false}
    />
  )
}
