// Where values go: what `set` writes, what an action gets, what another flow is given, where a reply is stored.
import { useState } from 'react'
import type { Scalar, StepOf } from '../../../../flow-engine/schema.ts'
import { Checkbox, Select, TextField } from '../../../ui/field.tsx'
import { t } from '../../../words/t.ts'
import { pathWords } from '../definition/words.ts'
import { useEditor } from '../editor-context.tsx'
import { PathInput } from './path-input.tsx'
import { Rows } from './rows.tsx'
import { readablePaths, writablePaths } from './variables.ts'

type Assignment = StepOf<'set'>['set'][number]
type Values = NonNullable<StepOf<'call'>['with']>
type Given = Values[string]

const useReadable = () => {
  const { definition, resources } = useEditor()
  return readablePaths(definition, resources.resultsOf(definition))
}

/** A value that was typed, or the path that it is copied from. */
const ValueOrPath = ({
  name,
  value,
  from,
  onChange,
}: {
  name: string
  value: Scalar | null | undefined
  from: string | undefined
  onChange: (given: { value: Scalar } | { from: string }) => void
}) => {
  const paths = useReadable()
  const isCopied = from !== undefined
  return (
    <div className="grid-2 grid-2--close">
      <Select
        label={t`${name} comes from`}
        isLabelHidden
        value={isCopied ? 'from' : 'value'}
        options={[
          { value: 'value', label: t`This value` },
          { value: 'from', label: t`Copied from` },
        ]}
        onChange={({ target }) => onChange(target.value === 'from' ? { from: '' } : { value: '' })}
      />
      {isCopied ? (
        <PathInput
          label={t`${name} is copied from`}
          value={from}
          paths={paths}
          onChange={(path) => onChange({ from: path })}
        />
      ) : (
        <TextField
          label={t`Value of ${name}`}
          isLabelHidden
          placeholder={t`Value`}
          value={String(value ?? '')}
          onChange={({ target }) => onChange({ value: target.value })}
        />
      )}
    </div>
  )
}

export const SetsInput = ({
  label,
  value,
  onChange,
}: {
  label: string
  value: Assignment[]
  onChange: (set: Assignment[]) => void
}) => {
  const { definition } = useEditor()
  return (
    <Rows
      label={label}
      items={value}
      keyOf={(_, at) => String(at)}
      nameOf={({ to }) => pathWords(to)}
      addLabel={t`Add value`}
      max={20}
      min={1}
      make={() => ({ to: '', value: '' })}
      onChange={onChange}
    >
      {(one, change) => (
        <>
          <PathInput
            label={t`Set`}
            isLabelHidden={false}
            value={one.to}
            paths={writablePaths(definition)}
            placeholder={t`e.g. run.order or contact.fields.plan`}
            onChange={(to) => change({ ...one, to })}
          />
          <ValueOrPath
            name={pathWords(one.to) || t`it`}
            value={one.value}
            from={one.from}
            onChange={(given) => change({ to: one.to, ...given })}
          />
        </>
      )}
    </Rows>
  )
}

/** What an action gets: its parameters, if they are known, else names of one's own. */
export const ValuesInput = ({
  label,
  value = {},
  parameters,
  onChange,
}: {
  label: string
  value: Values | undefined
  parameters: readonly string[]
  onChange: (values: Values | undefined) => void
}) => {
  const entries = Object.entries(value)
  const write = (next: [string, Given][]): void =>
    onChange(next.length === 0 ? undefined : Object.fromEntries(next))
  const unused = parameters.filter((name) => !Object.hasOwn(value, name))
  return (
    <Rows
      label={label}
      items={entries}
      keyOf={(_, at) => String(at)}
      nameOf={([name]) => name}
      addLabel={t`Add parameter`}
      max={20}
      make={(): [string, Given] => [unused[0] ?? `value${entries.length + 1}`, { from: '' }]}
      onChange={write}
    >
      {([name, given], change) => (
        <>
          {parameters.length > 0 ? (
            <Select
              label={t`Parameter`}
              value={name}
              options={[name, ...unused].map((one) => ({ value: one, label: one }))}
              onChange={({ target }) => change([target.value, given])}
            />
          ) : (
            <TextField
              label={t`Parameter`}
              value={name}
              maxLength={64}
              onChange={({ target }) => change([target.value, given])}
            />
          )}
          <ValueOrPath
            name={name}
            value={given.value}
            from={given.from}
            onChange={(next) => change([name, next])}
          />
        </>
      )}
    </Rows>
  )
}

/** Variables of another flow, and what they are copied from. */
export const MappingInput = ({
  label,
  value = {},
  onChange,
}: {
  label: string
  value: Record<string, string> | undefined
  onChange: (mapping: Record<string, string> | undefined) => void
}) => {
  const paths = useReadable()
  const entries = Object.entries(value)
  return (
    <Rows
      label={label}
      items={entries}
      keyOf={(_, at) => String(at)}
      nameOf={([name]) => name}
      addLabel={t`Add value`}
      max={20}
      make={(): [string, string] => [`value${entries.length + 1}`, '']}
      onChange={(next) => onChange(next.length === 0 ? undefined : Object.fromEntries(next))}
    >
      {([name, path], change) => (
        <div className="grid-2 grid-2--close">
          <TextField
            label={t`Its variable`}
            value={name}
            onChange={({ target }) => change([target.value, path])}
          />
          <PathInput
            label={t`From`}
            isLabelHidden={false}
            value={path}
            paths={paths}
            onChange={(next) => change([name, next])}
          />
        </div>
      )}
    </Rows>
  )
}

type Store = StepOf<'ask'>['store']

/** `Order number` becomes orderNumber. */
export const toName = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_ ]/g, '')
    .split(' ')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
    .replace(/^[A-Z0-9_]/, (letter) => (/[A-Z]/.test(letter) ? letter.toLowerCase() : ''))
    .slice(0, 64)

/** The variable that a reply is stored in, and the contact's field, if it is to stay. */
export const StoreInput = ({
  label,
  value,
  onChange,
}: {
  label: string
  value: Store
  onChange: (store: Store) => void
}) => {
  const { definition } = useEditor()
  const run = typeof value === 'object' ? value.run : value?.startsWith('run.') ? value : ''
  const contact = typeof value === 'object' ? value.contact : value?.startsWith('contact.') ? value : ''
  const write = (nextRun: string, nextContact: string): void =>
    onChange(
      nextRun && nextContact ? { run: nextRun, contact: nextContact } : nextRun || nextContact || undefined,
    )
  const name = run.slice('run.'.length)
  // What is typed may have spaces, which the name leaves out.
  const [typed, setTyped] = useState(name)
  const isKept = contact !== ''
  return (
    <div className="stack stack--tight flow-store">
      <TextField
        label={label}
        hint={name ? t`Texts can use it as {{run.${name}}}.` : t`A name of your choice, e.g. order.`}
        value={toName(typed) === name ? typed : name}
        maxLength={64}
        spellCheck={false}
        autoComplete="off"
        onChange={({ target }) => {
          setTyped(target.value)
          const next = toName(target.value)
          write(next && `run.${next}`, contact)
        }}
      />
      <Checkbox
        label={t`Keep it on the contact`}
        checked={isKept}
        onChange={({ target }) => write(run, target.checked ? `contact.fields.${name || 'reply'}` : '')}
      />
      {isKept && (
        <PathInput
          label={t`Contact field`}
          isLabelHidden={false}
          value={contact}
          paths={writablePaths(definition).filter(({ path }) => path.startsWith('contact.'))}
          onChange={(next) => write(run, next)}
        />
      )}
    </div>
  )
}
