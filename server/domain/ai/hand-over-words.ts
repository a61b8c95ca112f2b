// What a workspace wants customers to read when the AI agent hands over, in its own words.
import { baseOf } from '../../../flow-engine/language.ts'
import { invalid } from '../../platform/errors.ts'
import type { AiSettings } from './schema.ts'

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g
const NAMES = ['expectation', 'workspace'] as const
type Name = (typeof NAMES)[number]

const isName = (text: string): text is Name => NAMES.some((name) => name === text)

/** Throws VALIDATION_ERROR. */
export const refuseUnknownPlaceholder = (field: string, text: string): void => {
  const unknown = [...text.matchAll(PLACEHOLDER)].find(([, name]) => !isName(name!.trim()))
  if (unknown)
    throw invalid({
      field,
      message: `has ${unknown[0]}, but only ${NAMES.map((name) => `{{${name}}}`).join(' and ')} can be filled in`,
    })
}

/** Without the empty ones. Throws VALIDATION_ERROR. */
export const readHandOverTexts = (texts: Readonly<Record<string, string>>): Record<string, string> => {
  const kept = Object.entries(texts)
    .map(([language, text]) => [language, text.trim()] as const)
    .filter(([, text]) => text !== '')
  for (const [language, text] of kept) refuseUnknownPlaceholder(`handOverTexts.${language}`, text)
  return Object.fromEntries(kept)
}

/** The workspace's own text for a customer of this language; null: it has none. */
export const ownHandOverText = (
  { handOverTexts, expectation }: Pick<AiSettings, 'handOverTexts' | 'expectation'>,
  language: string,
): string | null => {
  const base = baseOf(language)
  return Object.hasOwn(handOverTexts, base) ? handOverTexts[base]! : expectation
}

export const hasExpectation = (text: string): boolean =>
  [...text.matchAll(PLACEHOLDER)].some(([, name]) => name!.trim() === 'expectation')

export const fillHandOverText = (text: string, values: Record<Name, string>): string =>
  text.replace(PLACEHOLDER, (whole, name: string) => {
    const trimmed = name.trim()
    return isName(trimmed) ? values[trimmed] : whole
  })
