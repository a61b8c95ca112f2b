import { fillTemplate } from '../state/template-text.ts'
import { categoryOf, preferredVersion, type TemplateVersions } from '../state/templates.ts'
import { Badge } from './badge.tsx'
import type { PickerItem } from './picker.tsx'

/** A template in a picker: found by its name and text, shown with its examples filled in. */
export const templateItem = ({ name, versions }: TemplateVersions): PickerItem => {
  const shown = preferredVersion(versions)
  const { body } = fillTemplate(shown, shown.exampleValues)
  return {
    id: name,
    text: [name, ...versions.map(({ bodyText }) => bodyText)].join(' '),
    content: (
      <span className="template-option">
        <span className="row">
          <span className="text-strong truncate">{name}</span>
          <Badge>{categoryOf(shown.category)}</Badge>
          <span className="text-soft text-small push">
            {versions.map(({ language }) => language).join(', ')}
          </span>
        </span>
        <bdi className="text-soft text-small truncate">{body.map(({ text }) => text).join('')}</bdi>
      </span>
    ),
  }
}
