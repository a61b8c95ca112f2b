// The ready flows to begin with, each with what it needs of the workspace. Loaded when it is opened: the texts in five
// languages are larger than the rest of the screen.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Scenario } from '../../../../flow-engine/scenario.ts'
import type { FlowDefinition } from '../../../../flow-engine/schema.ts'
import { type FlowTemplate, fillTemplate } from '../../../../flow-engine/templates/template.ts'
import { TEMPLATES } from '../../../../flow-engine/templates/templates.ts'
import { useSession } from '../../../state/session.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { FormProblem } from '../../../ui/field.tsx'
import { t } from '../../../words/t.ts'
import { useResources } from '../use-resources.ts'
import { NeedSelect, openNeeds } from './needs.tsx'
import { Preview } from './preview.tsx'
import { createTags, suggestChoices } from './suggest-choices.ts'

/** A flow to be created from a template, in the words and with the things of the workspace. */
export type ChosenTemplate = { name: string; definition: FlowDefinition; tests: Scenario[] }

export const TemplateGallery = ({ onChoose }: { onChoose: (chosen: ChosenTemplate) => Promise<unknown> }) => {
  const [openId, setOpenId] = useState<string | null>(null)
  const open = TEMPLATES.find(({ id }) => id === openId)
  if (open)
    return (
      <TemplateDetails key={open.id} template={open} onChoose={onChoose} onBack={() => setOpenId(null)} />
    )
  return (
    <ul className="flow-templates" aria-label={t`Templates`}>
      {TEMPLATES.map(({ id, name, about, definition }) => (
        <li key={id}>
          <button type="button" className="flow-templates__one" onClick={() => setOpenId(id)}>
            <span className="row row--between">
              <span className="text-strong">{name}</span>
              {definition.kind === 'background' && <Badge>{t`Background`}</Badge>}
            </span>
            <span className="text-soft text-small">{about}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}

const TemplateDetails = ({
  template,
  onChoose,
  onBack,
}: {
  template: FlowTemplate
  onChoose: (chosen: ChosenTemplate) => Promise<unknown>
  onBack: () => void
}) => {
  const { api, can, session } = useSession()
  const { resources } = useResources()
  const [chosen, setChosen] = useState<Record<string, string>>({})
  const choices = { ...suggestChoices(template, resources, session.account.id), ...chosen }
  const mayCreateTags = can('manage_tags')
  const open = openNeeds(template, choices, mayCreateTags)
  const use = useMutation({
    mutationFn: async () => {
      const filled = await createTags(api, template, choices)
      await onChoose({ name: template.name, ...fillTemplate(template, filled) })
    },
  })
  return (
    <section className="stack stack--fields" aria-label={template.name}>
      <div className="stack">
        <h3 className="section__title">{template.name}</h3>
        <p className="text-soft">{template.about}</p>
      </div>
      <Preview definition={template.definition} />
      {template.needs.length > 0 && (
        <div className="grid-2">
          {template.needs.map((need) => (
            <NeedSelect
              key={need.id}
              need={need}
              resources={resources}
              mayCreateTags={mayCreateTags}
              value={choices[need.id] ?? ''}
              onChange={(value) => setChosen((known) => ({ ...known, [need.id]: value }))}
            />
          ))}
        </div>
      )}
      <div className="stack">
        <h4 className="field__label">{t`Before you publish`}</h4>
        <ul className="flow-templates__notes">
          {[...open, ...template.beforePublishing].map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </div>
      <FormProblem error={use.error} />
      <div className="row row--wrap">
        <Button
          variant="primary"
          isBusy={use.isPending}
          disabled={!resources.isComplete}
          onClick={() => use.mutate()}
        >
          {t`Use this template`}
        </Button>
        <Button onClick={onBack}>{t`All templates`}</Button>
      </div>
    </section>
  )
}

export default TemplateGallery
