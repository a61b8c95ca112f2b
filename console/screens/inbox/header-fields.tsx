// Inputs for a template header that is an image, a file or a location.
import type { RichTemplate } from '../../state/types.ts'
import { TextField } from '../../ui/field.tsx'
import { t } from '../../words/t.ts'

export type HeaderText = Record<string, string>

type Field = {
  name: string
  label: string
  type?: 'url'
  placeholder?: string
  hint?: string
}

const FIELDS: Record<string, Field[]> = {
  IMAGE: [
    {
      name: 'headerImageUrl',
      label: t`Header image`,
      type: 'url',
      placeholder: 'https://…',
      hint: t`A public URL. The image in WhatsApp Manager is only a sample and isn’t sent.`,
    },
  ],
  VIDEO: [
    {
      name: 'headerMediaUrl',
      label: t`Header video`,
      type: 'url',
      placeholder: 'https://…',
      hint: t`A public URL.`,
    },
  ],
  DOCUMENT: [
    {
      name: 'headerMediaUrl',
      label: t`Header document`,
      type: 'url',
      placeholder: 'https://…',
      hint: t`A public URL.`,
    },
    { name: 'headerFileName', label: t`File name`, placeholder: t`Invoice.pdf`, hint: t`Optional` },
  ],
  LOCATION: [
    { name: 'headerLocation.latitude', label: t`Latitude`, placeholder: '52.5200' },
    { name: 'headerLocation.longitude', label: t`Longitude`, placeholder: '13.4050' },
    { name: 'headerLocation.name', label: t`Place`, hint: t`Optional` },
    { name: 'headerLocation.address', label: t`Address`, hint: t`Optional` },
  ],
}

const fieldsOf = ({ headerFormat }: RichTemplate): Field[] => FIELDS[headerFormat ?? ''] ?? []

/** Whether the header needs a value that broadcasts can't provide. */
export const hasHeaderFields = (template: RichTemplate): boolean => fieldsOf(template).length > 0

export const headerFieldNames = (template: RichTemplate): string[] => [
  ...fieldsOf(template).map(({ name }) => name),
  'headerLocation',
]

/** The texts of values that were entered before. */
export const headerTextOf = (values: Record<string, unknown>): HeaderText =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]): [string, string][] =>
      name === 'headerLocation'
        ? Object.entries(value as object).map(([part, one]) => [`headerLocation.${part}`, String(one)])
        : name.startsWith('header')
          ? [[name, String(value)]]
          : [],
    ),
  )

/** The header values to send. Text that should be a number is sent as it is, so the server can report the error. */
export const headerValues = (template: RichTemplate, text: HeaderText): Record<string, unknown> => {
  const given = fieldsOf(template).flatMap(({ name }): [string, string][] => {
    const value = text[name]?.trim()
    return value ? [[name, value]] : []
  })
  if (template.headerFormat !== 'LOCATION') return Object.fromEntries(given)
  const place = given.map(([name, value]): [string, unknown] => {
    const part = name.slice('headerLocation.'.length)
    const number = Number(value.replace(',', '.'))
    return [part, /^l/.test(part) && Number.isFinite(number) ? number : value]
  })
  return place.length > 0 ? { headerLocation: Object.fromEntries(place) } : {}
}

export const HeaderFields = ({
  template,
  text,
  hasFocus,
  onChange,
}: {
  template: RichTemplate
  text: HeaderText
  hasFocus: boolean
  onChange: (text: HeaderText) => void
}) =>
  fieldsOf(template).map((field, index) => (
    <TextField
      key={field.name}
      {...field}
      autoFocus={hasFocus && index === 0}
      dir={field.type === 'url' ? 'ltr' : undefined}
      value={text[field.name] ?? ''}
      onChange={(event) => onChange({ ...text, [field.name]: event.target.value })}
    />
  ))
