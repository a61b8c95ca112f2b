// What concerns the flow as a whole: triggers, audience, how often, variables and languages.
import type { FlowDefinition, Variable } from '../../../../flow-engine/schema.ts'
import { OFFERED_LANGUAGES } from '../../../state/languages.ts'
import { languageName } from '../../../state/templates.ts'
import { Disclosure } from '../../../ui/disclosure.tsx'
import { Checkbox, Select, TextField } from '../../../ui/field.tsx'
import { t } from '../../../words/t.ts'
import { useEditor } from '../editor-context.tsx'
import { ConditionInput } from './condition-input.tsx'
import { DurationInput } from './duration-input.tsx'
import { Rows } from './rows.tsx'
import { TriggersInput } from './triggers-input.tsx'
import { toName } from './value-inputs.tsx'

export const FlowForm = () => {
  const { definition, change, isReadOnly } = useEditor()
  const write = (part: Partial<FlowDefinition>, topic: string): void =>
    change((known) => dropEmpty({ ...known, ...part }), t`flow ${topic}`)
  const { kind, language, triggers, audience, interrupts, onPerson, oldChoices, variables } = definition
  return (
    <fieldset className="stack stack--fields step-form" disabled={isReadOnly}>
      <TriggersInput value={triggers} onChange={(next) => write({ triggers: next }, 'triggers')} />
      <ConditionInput
        label={t`Only for customers who match`}
        isOptional
        value={audience}
        onChange={(next) => write({ audience: next }, 'audience')}
      />
      <Reentry value={definition.reentry} onChange={(reentry) => write({ reentry }, 'reentry')} />
      <VariablesInput value={variables} onChange={(next) => write({ variables: next }, 'variables')} />
      <Disclosure title={t`More settings`}>
        <Select
          label={t`Kind`}
          value={kind}
          options={[
            { value: 'dialog', label: t`Dialog: talks to the customer` },
            { value: 'background', label: t`Background: never writes to the customer` },
          ]}
          onChange={({ target }) => write({ kind: target.value as FlowDefinition['kind'] }, 'kind')}
        />
        <Select
          label={t`Main language`}
          hint={t`Customers get it if a text isn’t translated into theirs.`}
          value={language}
          options={[...new Set([language, ...OFFERED_LANGUAGES])].map((value) => ({
            value,
            label: languageName(value),
          }))}
          onChange={({ target }) => write({ language: target.value }, 'language')}
        />
        {kind === 'dialog' ? (
          <>
            <Checkbox
              label={t`A keyword of this flow ends another dialog that waits for a reply`}
              checked={interrupts ?? false}
              onChange={({ target }) => write({ interrupts: target.checked || undefined }, 'interrupts')}
            />
            <Select
              label={t`When somebody taps an old button`}
              value={oldChoices ?? 'jump'}
              options={[
                { value: 'jump', label: t`Continue from there` },
                { value: 'explain', label: t`Say that it’s no longer available` },
                { value: 'ignore', label: t`Ignore it` },
              ]}
              onChange={({ target }) =>
                write({ oldChoices: target.value as FlowDefinition['oldChoices'] }, 'oldChoices')
              }
            />
          </>
        ) : (
          <Select
            label={t`When a teammate takes over`}
            value={onPerson ?? 'cancel'}
            options={[
              { value: 'cancel', label: t`Stop` },
              { value: 'continue', label: t`Continue` },
            ]}
            onChange={({ target }) =>
              write({ onPerson: target.value as FlowDefinition['onPerson'] }, 'onPerson')
            }
          />
        )}
      </Disclosure>
    </fieldset>
  )
}

const dropEmpty = (definition: FlowDefinition): FlowDefinition => {
  const kept = Object.entries(definition).filter(([, value]) => value !== undefined)
  // Only optional parts can be undefined.
  return Object.fromEntries(kept) as FlowDefinition
}

const Reentry = ({
  value = 'always',
  onChange,
}: {
  value: FlowDefinition['reentry']
  onChange: (value: FlowDefinition['reentry']) => void
}) => (
  <>
    <Select
      label={t`How often for the same customer`}
      value={typeof value === 'string' ? value : 'after'}
      options={[
        { value: 'always', label: t`Every time` },
        { value: 'once', label: t`Only once` },
        { value: 'after', label: t`Again after some time` },
      ]}
      onChange={({ target }) =>
        onChange(target.value === 'after' ? { after: 'PT12H' } : target.value === 'once' ? 'once' : undefined)
      }
    />
    {typeof value === 'object' && (
      <DurationInput label={t`Again after`} value={value.after} onChange={(after) => onChange({ after })} />
    )}
  </>
)

const TYPES: { value: Variable['type']; label: string }[] = [
  { value: 'text', label: t`Text` },
  { value: 'number', label: t`Number` },
  { value: 'yesno', label: t`Yes or no` },
  { value: 'date', label: t`Date` },
  { value: 'list', label: t`List` },
]

const VariablesInput = ({
  value = {},
  onChange,
}: {
  value: FlowDefinition['variables']
  onChange: (value: FlowDefinition['variables']) => void
}) => (
  <Rows
    label={t`Variables`}
    hint={t`Replies are stored without being listed here. Add one to give it a type or a first value, or to keep it private.`}
    items={Object.entries(value)}
    keyOf={(_, at) => String(at)}
    nameOf={([name]) => name}
    addLabel={t`Add variable`}
    max={50}
    make={(): [string, Variable] => [`value${Object.keys(value).length + 1}`, { type: 'text' }]}
    onChange={(entries) => onChange(entries.length === 0 ? undefined : Object.fromEntries(entries))}
  >
    {([name, variable], write) => (
      <>
        <div className="grid-2 grid-2--close">
          <TextField
            label={t`Name`}
            value={name}
            maxLength={64}
            onChange={({ target }) => {
              const next = toName(target.value)
              if (next !== '' && (next === name || !Object.hasOwn(value, next))) write([next, variable])
            }}
          />
          <Select
            label={t`Type`}
            value={variable.type}
            options={TYPES}
            onChange={({ target }) => write([name, { ...variable, type: target.value as Variable['type'] }])}
          />
        </div>
        <Checkbox
          label={t`Private: kept out of logs, notes and the AI agent`}
          checked={variable.isPrivate ?? false}
          onChange={({ target }) => {
            const { isPrivate: _, ...rest } = variable
            write([name, target.checked ? { ...rest, isPrivate: true } : rest])
          }}
        />
      </>
    )}
  </Rows>
)
