// The options of a question. Enter adds the next one.
import type { ChoiceOption, StepOf } from '../../../../flow-engine/schema.ts'
import { OPTIONS_MAX } from '../../../../flow-engine/shapes.ts'
import { Disclosure } from '../../../ui/disclosure.tsx'
import { TextField } from '../../../ui/field.tsx'
import { t } from '../../../words/t.ts'
import { textIn } from '../definition/localized.ts'
import { cut } from '../definition/words.ts'
import { useEditor } from '../editor-context.tsx'
import { ConditionInput } from './condition-input.tsx'
import { Rows } from './rows.tsx'
import { TargetInput } from './target-input.tsx'
import { TextInput } from './text-input.tsx'

type Options = NonNullable<StepOf<'ask'>['options']>

const freeOptionId = (options: readonly ChoiceOption[]): string => {
  let number = options.length + 1
  while (options.some(({ id }) => id === `o${number}`)) number += 1
  return `o${number}`
}

export const OptionsInput = ({
  label,
  value = [],
  onChange,
}: {
  label: string
  value: Options | undefined
  onChange: (options: Options | undefined) => void
}) => {
  const { definition } = useEditor()
  return (
    <Rows
      label={label}
      items={value}
      keyOf={({ id }) => id}
      nameOf={({ title }, at) => textIn(title, definition.language) || t`option ${at + 1}`}
      addLabel={t`Add option`}
      max={OPTIONS_MAX}
      min={1}
      make={() => ({ id: freeOptionId(value), title: '' })}
      onChange={onChange}
    >
      {(option, change, { next, at }) => (
        <OptionFields option={option} at={at} onChange={change} onEnter={next} />
      )}
    </Rows>
  )
}

const OptionFields = ({
  option,
  at,
  onChange,
  onEnter,
}: {
  option: ChoiceOption
  at: number
  onChange: (option: ChoiceOption) => void
  onEnter: () => void
}) => {
  const { definition } = useEditor()
  const write = (change: Partial<ChoiceOption>): void => {
    const next = { ...option, ...change }
    for (const name of ['goto', 'description', 'also', 'showIf'] as const)
      if (next[name] === undefined) delete next[name]
    onChange(next)
  }
  const title = textIn(option.title, definition.language)
  return (
    <>
      <div className="grid-2 grid-2--close">
        <TextInput
          label={t`Option ${at + 1}`}
          isShort
          value={option.title}
          placeholder={t`Option ${at + 1}`}
          onChange={(text) => write({ title: text ?? '' })}
          onEnter={onEnter}
        />
        <TargetInput
          label={t`Then`}
          empty={t`Next step`}
          newTitle={cut(title, 40) || t`Option ${at + 1}`}
          value={option.goto}
          onChange={(goto) => write({ goto })}
        />
      </div>
      <Disclosure title={t`More about this option`}>
        <TextInput
          label={t`Description`}
          hint={t`Shown below the title where a channel has room for it.`}
          isShort
          value={option.description}
          onChange={(description) => write({ description })}
        />
        <TextField
          label={t`Also understood as`}
          hint={t`Other words for it, separated by commas.`}
          defaultValue={option.also?.join(', ')}
          onChange={({ target }) => {
            const words = target.value
              .split(',')
              .map((word) => word.trim())
              .filter(Boolean)
            write({ also: words.length > 0 ? words.slice(0, 10) : undefined })
          }}
        />
        <ConditionInput
          label={t`Only show it if`}
          isOptional
          value={option.showIf}
          onChange={(showIf) => write({ showIf })}
        />
      </Disclosure>
    </>
  )
}
