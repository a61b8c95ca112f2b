// The paths of a branch and the shares of a random split.
import type { StepOf } from '../../../../flow-engine/schema.ts'
import { TextField } from '../../../ui/field.tsx'
import { t } from '../../../words/t.ts'
import { conditionWords, cut } from '../definition/words.ts'
import { useEditor } from '../editor-context.tsx'
import { ConditionInput } from './condition-input.tsx'
import { Rows } from './rows.tsx'
import { TargetInput } from './target-input.tsx'

type BranchPath = StepOf<'branch'>['paths'][number]
type Share = StepOf<'split'>['paths'][number]

const byPlace = (_: unknown, at: number): string => String(at)

export const PathsInput = ({
  label,
  value,
  onChange,
}: {
  label: string
  value: BranchPath[]
  onChange: (paths: BranchPath[]) => void
}) => {
  const { names } = useEditor()
  return (
    <Rows
      label={label}
      hint={t`The first one that matches is taken.`}
      items={value}
      keyOf={byPlace}
      nameOf={({ title }, at) => title ?? t`path ${at + 1}`}
      addLabel={t`Add path`}
      max={20}
      min={1}
      make={() => ({ when: { value: '', op: 'is' as const, to: '' }, goto: 'people' })}
      onChange={onChange}
    >
      {(path, change, { at }) => (
        <>
          <ConditionInput
            label={t`If (${at + 1})`}
            value={path.when}
            onChange={(when) => when && change({ ...path, when })}
          />
          <div className="grid-2 grid-2--close">
            <TargetInput
              label={t`Then`}
              newTitle={path.title ?? cut(conditionWords(path.when, names), 40)}
              value={path.goto}
              onChange={(goto) => goto && change({ ...path, goto })}
            />
            <TextField
              label={t`Name`}
              placeholder={t`Optional`}
              maxLength={80}
              value={path.title ?? ''}
              onChange={({ target }) => {
                const { title: _, ...rest } = path
                change(target.value === '' ? rest : { ...rest, title: target.value })
              }}
            />
          </div>
        </>
      )}
    </Rows>
  )
}

export const SplitInput = ({
  label,
  value,
  onChange,
}: {
  label: string
  value: Share[]
  onChange: (paths: Share[]) => void
}) => {
  const total = value.reduce((sum, { percent }) => sum + percent, 0)
  return (
    <Rows
      label={label}
      hint={total === 100 ? undefined : t`Shares must add up to 100 %. Now it’s ${total} %.`}
      items={value}
      keyOf={byPlace}
      nameOf={(_, at) => t`share ${at + 1}`}
      addLabel={t`Add share`}
      max={5}
      min={2}
      make={() => ({ percent: Math.max(1, Math.min(99, 100 - total)), goto: 'end' })}
      onChange={onChange}
    >
      {(share, change, { at }) => (
        <div className="grid-2 grid-2--close">
          <TextField
            label={t`Percent`}
            type="number"
            min={1}
            max={99}
            value={share.percent || ''}
            onChange={({ target }) => change({ ...share, percent: Math.floor(Number(target.value)) })}
          />
          <TargetInput
            label={t`Then`}
            newTitle={t`Group ${at + 1}`}
            value={share.goto}
            onChange={(goto) => goto && change({ ...share, goto })}
          />
        </div>
      )}
    </Rows>
  )
}
