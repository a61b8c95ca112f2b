import type { Choices, FlowTemplate, TemplateNeed } from '../../../../flow-engine/templates/template.ts'
import { type Option, Select } from '../../../ui/field.tsx'
import { t } from '../../../words/t.ts'
import { NEW_TAG, type Resources } from './suggest-choices.ts'

/** Chooses the workspace's own thing for a template's need. */
export const NeedSelect = ({
  need: { kind, name, about },
  resources,
  mayCreateTags,
  value,
  onChange,
}: {
  need: TemplateNeed
  resources: Resources
  mayCreateTags: boolean
  value: string
  onChange: (value: string) => void
}) => {
  const known = { tag: resources.tags, agent: resources.agents, action: resources.actions }[kind]
  const options: Option[] = known.map((one) => ({ value: one.id, label: one.name }))
  const isNew = value === NEW_TAG
  const first: Option[] =
    kind === 'tag' && mayCreateTags
      ? [{ value: NEW_TAG, label: t`Create “${name}”` }]
      : [{ value: isNew ? NEW_TAG : '', label: t`Choose later` }]
  return (
    <Select
      label={kind === 'tag' ? t`Tag: ${name}` : name}
      hint={about}
      value={value}
      options={[...first, ...options]}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}

/** What is left to choose in the flow itself, each as a sentence. */
export const openNeeds = (template: FlowTemplate, choices: Choices, mayCreateTags: boolean): string[] =>
  template.needs
    .filter(({ id }) => choices[id] === '' || (choices[id] === NEW_TAG && !mayCreateTags))
    .map(
      ({ kind, name }) =>
        t`Choose ${kind === 'action' ? t`an action` : kind === 'agent' ? t`an agent` : t`a tag`} for “${name}” in the flow.`,
    )
