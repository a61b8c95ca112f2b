import type { Channel, ShownChannel } from '../../state/types.ts'
import { Disclosure } from '../../ui/disclosure.tsx'
import { Select, TextArea, TextField } from '../../ui/field.tsx'
import { SecretField } from '../../ui/secret-field.tsx'
import { t } from '../../words/t.ts'
import { type FormField, formOf } from './channel-kinds.ts'

const VALUE_MAX = 4096

const choicesOf = (unset: string) =>
  [
    { value: '', label: unset },
    { value: 'true', label: t`Yes` },
    { value: 'false', label: t`No` },
  ].filter(({ value, label }) => value === '' || label !== unset)

/** The fields of a channel type; with `channel`, filled with its current values. */
export const ChannelFields = ({ kind, channel }: { kind: Channel; channel?: ShownChannel }) => {
  const { fields, parts } = formOf(kind)
  const isUsed = (field: FormField): boolean =>
    channel !== undefined && (channel.secretsSet.includes(field.name) || shownValue(channel, field) !== '')
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

/** A stored value as shown in its field. */
const shownValue = (channel: ShownChannel, { name, in: place }: FormField): string => {
  if (place === 'name') return channel.name === channel.address ? '' : channel.name
  if (place === 'address') return channel.address ?? ''
  const value = channel.settings[name]
  if (Array.isArray(value)) return value.join('\n')
  return value === null || value === undefined ? '' : String(value)
}

const Field = ({ field, channel }: { field: FormField; channel?: ShownChannel }) => {
  const { name, label, hint, kind, isOptional, isOwn, inputMode, placeholder } = field
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
  const defaultValue = channel ? shownValue(channel, field) : ''
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
      <Select
        label={label}
        name={name}
        hint={hint}
        options={choicesOf(field.unset ?? '')}
        defaultValue={defaultValue}
      />
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
