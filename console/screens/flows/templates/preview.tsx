// The first messages of a template, in each of its languages.
import { useState } from 'react'
import { listSteps } from '../../../../flow-engine/definition-index.ts'
import { chooseText } from '../../../../flow-engine/language.ts'
import { parseTemplate } from '../../../../flow-engine/render.ts'
import type { FlowDefinition, LocalizedText } from '../../../../flow-engine/schema.ts'
import { TEMPLATE_LANGUAGES } from '../../../../flow-engine/templates/template.ts'
import { LanguageChoice } from '../../../ui/language-choice.tsx'
import { t } from '../../../words/t.ts'

const SHOWN_MAX = 2

export const Preview = ({ definition }: { definition: FlowDefinition }) => {
  const [language, setLanguage] = useState<string>('en')
  const spoken = listSteps(definition).flatMap(({ step, block }) =>
    step.type === 'ask' || step.type === 'send' ? [{ step, block }] : [],
  )
  // Other blocks may be said instead of the first, not after it.
  const messages = spoken
    .filter(({ block }) => block === spoken[0]?.block)
    .slice(0, SHOWN_MAX)
    .map(({ step }) => step)
  const say = (text: LocalizedText): string => plain(chooseText(text, language, 'en').text)
  if (messages.length === 0) return null
  return (
    <div className="stack">
      <LanguageChoice
        label={t`Language of the preview`}
        languages={[...TEMPLATE_LANGUAGES]}
        value={language}
        onChange={setLanguage}
      />
      <figure className="preview stack" aria-label={t`First messages`} lang={language}>
        {messages.map((step) => (
          <div key={step.id} className="preview__bubble">
            <p className="user-text">{step.text && say(step.text)}</p>
            {step.type === 'ask' &&
              step.options?.map(({ id, title }) => (
                <span key={id} className="preview__button">
                  {say(title)}
                </span>
              ))}
          </div>
        ))}
      </figure>
    </div>
  )
}

/** What is put in by its name. */
const NAMES: Record<string, string> = {
  'contact.firstName': t`Sam`,
  'workspace.name': t`your workspace`,
  'hours.opensAt day': 'tomorrow',
  'hours.opensAt time': '9:00',
}
const plain = (text: string): string =>
  parseTemplate(text)
    .map((part) =>
      typeof part === 'string'
        ? part
        : (NAMES[part.path] ??
          `[${NAMES[`${part.path} ${part.filters[0]}`] ?? part.path.split('.').at(-1)}]`),
    )
    .join('')
