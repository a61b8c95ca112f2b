import { Disclosure } from '../../ui/disclosure.tsx'
import { Checkbox, Select, useFieldProblem } from '../../ui/field.tsx'
import { t } from '../../words/t.ts'
import { EVENT_GROUPS, eventWords } from './webhook-words.ts'

type Chosen = string[] | null

/** Which types of events are sent: all, whole groups, or single ones. */
export const WebhookEvents = ({
  chosen,
  onChange,
}: {
  chosen: Chosen
  onChange: (chosen: Chosen) => void
}) => {
  const problem = useFieldProblem('eventTypes')
  return (
    <div className="stack stack--fields">
      <Select
        label={t`Send`}
        value={chosen === null ? 'all' : 'some'}
        options={[
          { value: 'all', label: t`All events, including types added later` },
          { value: 'some', label: t`Only some types` },
        ]}
        onChange={({ target }) => onChange(target.value === 'all' ? null : ['message.*'])}
      />
      {chosen &&
        EVENT_GROUPS.map((group) => (
          <Group key={group.wildcard} group={group} chosen={chosen} onChange={onChange} />
        ))}
      {problem && (
        <p className="field__problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}

const Group = ({
  group: { wildcard, label, types },
  chosen,
  onChange,
}: {
  group: (typeof EVENT_GROUPS)[number]
  chosen: string[]
  onChange: (chosen: string[]) => void
}) => {
  const hasAll = chosen.includes(wildcard)
  const some = types.filter((type) => chosen.includes(type))
  const without = (left: readonly string[]) => chosen.filter((type) => !left.includes(type))
  const count = hasAll ? 'all' : some.length > 0 ? t`${some.length} of ${types.length}` : null
  return (
    <Disclosure
      title={
        <>
          {label}
          {count && <span className="text-soft">{count}</span>}
        </>
      }
    >
      <Checkbox
        label={t`All of them`}
        hint={<code className="text-mono">{wildcard}</code>}
        aria-label={t`${label}: all`}
        checked={hasAll}
        onChange={() => onChange(hasAll ? without([wildcard]) : [...without(types), wildcard])}
      />
      {types.map((type) => (
        <Checkbox
          key={type}
          label={eventWords(type)}
          hint={<code className="text-mono">{type}</code>}
          disabled={hasAll}
          checked={hasAll || chosen.includes(type)}
          onChange={() => onChange(chosen.includes(type) ? without([type]) : [...chosen, type])}
        />
      ))}
    </Disclosure>
  )
}
