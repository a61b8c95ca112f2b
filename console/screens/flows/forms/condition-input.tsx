// A condition as rows that hold together, or of which one holds; groups can be inside each other.
import { Plus, X } from 'lucide-react'
import { useId } from 'react'
import { type Comparison, type Condition, OPERATORS } from '../../../../flow-engine/schema.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Select } from '../../../ui/field.tsx'
import { t } from '../../../words/t.ts'
import { useEditor } from '../editor-context.tsx'
import { ComparisonInput } from './comparison-input.tsx'
import { conditionOf, type Group, groupOf } from './condition-groups.ts'

const NEW_ROW: Comparison = { value: '', op: OPERATORS[0], to: '' }
const ROWS_MAX = 20
/** Deeper ones can be written as JSON. */
const LEVELS_MAX = 3

export const ConditionInput = ({
  label,
  value,
  level = 1,
  isOptional = false,
  onChange,
}: {
  label: string
  value: Condition | undefined
  level?: number
  isOptional?: boolean
  onChange: (condition: Condition | undefined) => void
}) => {
  const { isReadOnly } = useEditor()
  const legend = useId()
  if (value === undefined)
    return (
      <div className="field">
        <span className="field__label">{label}</span>
        <span>
          <Button size="small" icon={Plus} disabled={isReadOnly} onClick={() => onChange(NEW_ROW)}>
            {t`Add condition`}
          </Button>
        </span>
      </div>
    )
  const group = groupOf(value)
  const write = (next: Group): void =>
    onChange(next.rows.length === 0 ? (isOptional ? undefined : NEW_ROW) : conditionOf(next))
  const add = (row: Condition) => write({ ...group, rows: [...group.rows, row] })
  return (
    <fieldset className="field flow-condition" aria-labelledby={legend} disabled={isReadOnly}>
      <span id={legend} className={level === 1 ? 'field__label' : 'hidden-visually'}>
        {label}
      </span>
      {(group.rows.length > 1 || group.joins !== 'all') && (
        <Select
          label={t`How the conditions hold`}
          isLabelHidden
          value={group.joins}
          options={[
            { value: 'all', label: t`All of these` },
            { value: 'any', label: t`Any of these` },
            { value: 'none', label: t`None of these` },
          ]}
          onChange={({ target }) => write({ ...group, joins: target.value as Group['joins'] })}
        />
      )}
      <ul className="flow-condition__rows">
        {group.rows.map((row, at) => {
          const change = (next: Condition | undefined): void =>
            write({
              ...group,
              rows: next === undefined ? group.rows.toSpliced(at, 1) : group.rows.with(at, next),
            })
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their place
            <li key={at} className="flow-condition__row">
              {'op' in row ? (
                <ComparisonInput value={row} onChange={change} />
              ) : (
                <ConditionInput label={t`Group`} value={row} level={level + 1} isOptional onChange={change} />
              )}
              {(group.rows.length > 1 || isOptional) && (
                <IconButton
                  icon={X}
                  size="small"
                  hasTooltip={false}
                  label={t`Remove condition ${at + 1}`}
                  onClick={() => change(undefined)}
                />
              )}
            </li>
          )
        })}
      </ul>
      {!isReadOnly && group.rows.length < ROWS_MAX && (
        <span className="row row--wrap">
          <Button size="small" variant="ghost" icon={Plus} onClick={() => add(NEW_ROW)}>
            {t`Condition`}
          </Button>
          {level < LEVELS_MAX && (
            <Button size="small" variant="ghost" icon={Plus} onClick={() => add({ any: [NEW_ROW, NEW_ROW] })}>
              {t`Group`}
            </Button>
          )}
        </span>
      )}
    </fieldset>
  )
}
