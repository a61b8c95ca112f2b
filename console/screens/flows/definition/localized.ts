// Texts in several languages. One language is a plain text; more are a text by language.

import { listSteps } from '../../../../flow-engine/definition-index.ts'
import { chooseText } from '../../../../flow-engine/language.ts'
import type { FlowDefinition, LocalizedText } from '../../../../flow-engine/schema.ts'
import { textsOf } from '../../../../flow-engine/step-parts.ts'

/** A text in the flow's own language, or the nearest there is. */
export const textIn = (text: LocalizedText | undefined, language: string): string =>
  text === undefined ? '' : chooseText(text, language, language).text

/** The text with one language replaced; an empty translation goes away. */
export const withText = (
  value: LocalizedText | undefined,
  own: string,
  language: string,
  text: string,
): LocalizedText | undefined => {
  if (typeof value !== 'object') {
    if (language === own) return text === '' ? undefined : text
    return text === '' ? value : { [own]: value ?? '', [language]: text }
  }
  const { [language]: _, ...others } = value
  const next = text === '' && language !== own ? others : { ...others, [language]: text }
  const names = Object.keys(next)
  return names.length === 1 && names[0] === own ? next[own] : next
}

/** The languages that texts of the flow are in: its own first, then by code. */
export const languagesOf = (definition: FlowDefinition): string[] => {
  const used = listSteps(definition).flatMap(({ step }) =>
    textsOf(step).flatMap(({ text }) => (typeof text === 'object' ? Object.keys(text) : [])),
  )
  const others = [...new Set(used)].filter((language) => language !== definition.language)
  return [definition.language, ...others.sort()]
}
