// The lists of an action: its parameters, its headers, the fields that it keeps, and what the AI agent may do with it.
import type { NewAction } from '../../state/types.ts'
import { Disclosure } from '../../ui/disclosure.tsx'
import { Checkbox, Select, TextField } from '../../ui/field.tsx'
import { FormRow, FormRows } from '../../ui/form-rows.tsx'
import { Section } from '../../ui/page.tsx'
import { t } from '../../words/t.ts'
import { CONFIRMS, NEEDS, RISKS } from './action-terms.ts'
import { HeaderRows } from './header-rows.tsx'
import { ParameterSource } from './parameter-source.tsx'

const ROWS_MAX = 20

const TYPES = [
  { value: 'string', label: t`Text` },
  { value: 'number', label: t`Number` },
  { value: 'boolean', label: t`Yes or no` },
  { value: 'enum', label: t`One of a list` },
] as const
type Props = {
  draft: NewAction
  /** The names of the headers whose values are stored. */
  stored: readonly string[]
  onChange: (change: Partial<NewAction>) => void
}

export const ActionRows = ({ draft, stored, onChange }: Props) => (
  <>
    <Section>
      <Parameters draft={draft} onChange={onChange} />
    </Section>
    <Section>
      <HeaderRows
        headers={draft.headers}
        stored={stored}
        headersMax={ROWS_MAX}
        onChange={(headers) => onChange({ headers })}
      />
    </Section>
    <Section>
      <Kept draft={draft} onChange={onChange} />
    </Section>
    <Disclosure
      title={t`For the AI agent`}
      about={t`Who it may do this for, and who must agree. Flows don’t ask.`}
    >
      <div className="grid-2">
        <ChoiceOf
          label={t`Effect`}
          choices={RISKS}
          value={draft.risk}
          onChange={(risk) => onChange({ risk })}
        />
        <ChoiceOf
          label={t`For`}
          choices={NEEDS}
          value={draft.needs}
          onChange={(needs) => onChange({ needs })}
        />
        <ChoiceOf
          label={t`Confirmed by`}
          choices={CONFIRMS}
          value={draft.confirm}
          onChange={(confirm) => onChange({ confirm })}
        />
      </div>
    </Disclosure>
  </>
)

const ChoiceOf = <T extends string>({
  label,
  choices,
  value,
  onChange,
}: {
  label: string
  choices: readonly { value: T; label: string }[]
  value: T
  onChange: (value: T) => void
}) => (
  <Select
    label={label}
    value={value}
    options={[...choices]}
    onChange={({ target }) => onChange(choices.find((choice) => choice.value === target.value)!.value)}
  />
)

/** A list with one entry changed. */
const changedAt = <T,>(list: readonly T[], index: number, change: Partial<T>): T[] =>
  list.map((one, at) => (at === index ? { ...one, ...change } : one))

const withoutAt = <T,>(list: readonly T[], index: number): T[] => list.filter((_, at) => at !== index)

const Parameters = ({ draft: { parameters, needs }, onChange }: Omit<Props, 'stored'>) => (
  <FormRows
    label={t`Parameters`}
    about={t`Values that flows fill in. The AI agent can take them from the contact: from a custom field only if customers can’t fill it in. Those that the address doesn’t use are sent in the query (GET, DELETE) or as JSON.`}
    addLabel={t`Add parameter`}
    onAdd={
      parameters.length < ROWS_MAX
        ? () => onChange({ parameters: [...parameters, { name: '', type: 'string', isRequired: true }] })
        : undefined
    }
  >
    {parameters.map((parameter, index) => {
      const { name, type, isRequired, options = [] } = parameter
      const set = (change: Partial<typeof parameter>) =>
        onChange({ parameters: changedAt(parameters, index, change) })
      const setSource = (source: typeof parameter.fromContact) => {
        const { fromContact: _, ...rest } = parameter
        const next = source ? { ...rest, fromContact: source } : rest
        onChange({
          parameters: parameters.map((one, at) => (at === index ? next : one)),
          // Whoever may be anyone is nobody whose data could be filled in.
          ...(source && needs === 'none' && { needs: 'known' }),
        })
      }
      return (
        <FormRow
          // biome-ignore lint/suspicious/noArrayIndexKey: names may be empty or there twice while they are edited
          key={index}
          removeLabel={t`Remove ${name || t`parameter ${index + 1}`}`}
          onRemove={() => onChange({ parameters: withoutAt(parameters, index) })}
        >
          <TextField
            label={t`Name`}
            name={`parameters[${index}]`}
            dir="ltr"
            value={name}
            maxLength={64}
            spellCheck={false}
            placeholder={t`e.g. number`}
            onChange={({ target }) => set({ name: target.value.trim() })}
          />
          <ChoiceOf
            label={t`Type`}
            choices={TYPES}
            value={type}
            onChange={(next) => set({ type: next, ...(next === 'enum' && { options }) })}
          />
          {type === 'enum' && (
            <TextField
              label={t`Values`}
              defaultValue={options.join(', ')}
              placeholder={t`e.g. small, large`}
              onChange={({ target }) =>
                set({
                  options: target.value
                    .split(',')
                    .map((option) => option.trim())
                    .filter((option) => option !== ''),
                })
              }
            />
          )}
          <ParameterSource source={parameter.fromContact} onChange={setSource} />
          <Checkbox
            label={t`Required`}
            checked={isRequired}
            onChange={({ target }) => set({ isRequired: target.checked })}
          />
        </FormRow>
      )
    })}
  </FormRows>
)

const Kept = ({ draft: { keep }, onChange }: Omit<Props, 'stored'>) => (
  <FormRows
    label={t`Kept fields`}
    about={t`What flows can use of the JSON response. The rest is discarded.`}
    addLabel={t`Add field`}
    onAdd={keep.length < ROWS_MAX ? () => onChange({ keep: [...keep, { name: '', path: '' }] }) : undefined}
  >
    {keep.map((field, index) => {
      const set = (change: Partial<typeof field>) => onChange({ keep: changedAt(keep, index, change) })
      return (
        <FormRow
          // biome-ignore lint/suspicious/noArrayIndexKey: as above
          key={index}
          removeLabel={t`Remove ${field.name || t`field ${index + 1}`}`}
          onRemove={() => onChange({ keep: withoutAt(keep, index) })}
        >
          <TextField
            label={t`Name`}
            name={`keep[${index}]`}
            dir="ltr"
            value={field.name}
            maxLength={64}
            spellCheck={false}
            placeholder={t`e.g. status`}
            onChange={({ target }) => set({ name: target.value.trim() })}
          />
          <TextField
            label={t`Path in the response`}
            dir="ltr"
            value={field.path}
            maxLength={200}
            spellCheck={false}
            placeholder={t`e.g. order.items.0.status`}
            onChange={({ target }) => set({ path: target.value.trim() })}
          />
        </FormRow>
      )
    })}
  </FormRows>
)
