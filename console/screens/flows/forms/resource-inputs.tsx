// What the workspace has, to be chosen: teammates, tags, actions, hours, flows, templates.
import { Plus, X } from 'lucide-react'
import type { StepOf } from '../../../../flow-engine/schema.ts'
import { IconButton } from '../../../ui/button.tsx'
import { Checkbox, Select } from '../../../ui/field.tsx'
import { t } from '../../../words/t.ts'
import { useEditor } from '../editor-context.tsx'
import type { Named } from '../use-resources.ts'
import { PickPopover } from './pick-popover.tsx'
import { TargetInput } from './target-input.tsx'
import { TextInput } from './text-input.tsx'

/** One of a list. Something chosen that is gone is still shown, by its id. */
export const OneInput = ({
  label,
  hint,
  empty,
  all,
  value = '',
  onChange,
}: {
  label: string
  hint?: string
  empty?: string
  all: readonly Named[]
  value: string | undefined
  onChange: (id: string | undefined) => void
}) => {
  const { isReadOnly } = useEditor()
  const isGone = value !== '' && !all.some(({ id }) => id === value)
  return (
    <Select
      label={label}
      hint={hint}
      disabled={isReadOnly}
      value={value}
      problem={isGone ? t`It no longer exists. Choose another.` : undefined}
      options={[
        { value: '', label: empty ?? t`Choose…` },
        ...(isGone ? [{ value, label: t`${value} (deleted)` }] : []),
        ...all.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      onChange={({ target }) => onChange(target.value || (empty === undefined ? '' : undefined))}
    />
  )
}

/** Several of a list. */
export const SeveralInput = ({
  label,
  all,
  value = [],
  onChange,
}: {
  label: string
  all: readonly Named[]
  value: readonly string[] | undefined
  onChange: (ids: string[] | undefined) => void
}) => {
  const { isReadOnly } = useEditor()
  const nameOf = (id: string): string => all.find((one) => one.id === id)?.name ?? t`${id} (deleted)`
  const toggle = (id: string): void => {
    const next = value.includes(id) ? value.filter((one) => one !== id) : [...value, id]
    onChange(next.length === 0 ? undefined : next)
  }
  return (
    <fieldset className="field" disabled={isReadOnly}>
      <legend className="field__label">{label}</legend>
      <div className="row row--wrap">
        {value.map((id) => (
          <span key={id} className="tag">
            <bdi className="truncate">{nameOf(id)}</bdi>
            <IconButton
              icon={X}
              size="small"
              hasTooltip={false}
              label={t`Remove ${nameOf(id)}`}
              onClick={() => toggle(id)}
            />
          </span>
        ))}
        <PickPopover
          label={label}
          button={t`Choose`}
          icon={Plus}
          selectedIds={new Set(value)}
          items={() => all.map(({ id, name }) => ({ id, text: name }))}
          onPick={toggle}
        />
      </div>
    </fieldset>
  )
}

type AssignTo = StepOf<'assign'>['to']

export const AssignInput = ({
  label,
  value,
  onChange,
}: {
  label: string
  value: AssignTo
  onChange: (to: AssignTo) => void
}) => {
  const { resources } = useEditor()
  const isAmong = typeof value !== 'string'
  return (
    <>
      <Select
        label={label}
        value={isAmong ? 'among' : value}
        options={[
          { value: 'nobody', label: t`Nobody (unassign)` },
          { value: 'ai', label: t`The AI agent` },
          { value: 'among', label: t`One of several teammates` },
          ...resources.agents.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={({ target }) => onChange(target.value === 'among' ? { among: [] } : target.value)}
      />
      {isAmong && (
        <>
          <SeveralInput
            label={t`Teammates`}
            all={resources.agents}
            value={value.among}
            onChange={(among = []) => onChange({ ...value, among })}
          />
          <Select
            label={t`Who gets it`}
            value={value.by ?? 'turn'}
            options={[
              { value: 'turn', label: t`Each in turn` },
              { value: 'fewest_open', label: t`The one with the fewest open conversations` },
            ]}
            onChange={({ target }) => onChange({ ...value, by: target.value as 'turn' | 'fewest_open' })}
          />
          <Checkbox
            label={t`Only those who are online`}
            checked={value.onlineOnly ?? false}
            onChange={({ target }) => onChange({ ...value, onlineOnly: target.checked })}
          />
          <TargetInput
            label={t`If nobody is available`}
            empty={t`Next step`}
            newTitle={t`Nobody available`}
            value={value.else}
            onChange={(target) => {
              const { else: _, ...rest } = value
              onChange(target === undefined ? rest : { ...rest, else: target })
            }}
          />
        </>
      )}
    </>
  )
}

type Template = StepOf<'send'>['ifWindowClosed']

export const TemplateInput = ({
  label,
  hint,
  value,
  onChange,
}: {
  label: string
  hint?: string
  value: Template
  onChange: (template: Template) => void
}) => {
  const { resources } = useEditor()
  const keyOf = ({ name, language }: { name: string; language: string }) => `${name} (${language})`
  const chosen = resources.templates.find(
    ({ name, language }) => name === value?.name && language === value.language,
  )
  const count = Math.max(chosen?.parameters ?? 0, value?.parameters?.length ?? 0)
  return (
    <>
      <OneInput
        label={label}
        hint={hint}
        empty={t`None`}
        all={resources.templates.map((template) => ({ id: keyOf(template), name: keyOf(template) }))}
        value={value && keyOf(value)}
        onChange={(id) => {
          const next = resources.templates.find((template) => keyOf(template) === id)
          onChange(
            next && {
              name: next.name,
              language: next.language,
              ...(next.parameters > 0 && { parameters: Array.from({ length: next.parameters }, () => '') }),
            },
          )
        }}
      />
      {value &&
        Array.from({ length: count }, (_, at) => (
          <TextInput
            // biome-ignore lint/suspicious/noArrayIndexKey: a parameter is its place
            key={at}
            label={t`Value ${at + 1} of the template`}
            isShort
            value={value.parameters?.[at] ?? ''}
            onChange={(text) => {
              const parameters = Array.from({ length: count }, (_, index) => value.parameters?.[index] ?? '')
              onChange({ ...value, parameters: parameters.with(at, typeof text === 'string' ? text : '') })
            }}
          />
        ))}
    </>
  )
}
