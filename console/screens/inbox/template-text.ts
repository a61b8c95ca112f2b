// Templates as they will read. Pure.
import type { RichTemplate } from '../../state/types.ts'

const PLACE = /\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g

/** The names of the places in the order in which parameters are given: the body's, the header's, each button's. */
export const parameterLabels = (template: RichTemplate): string[] => {
  const body = placesOf(template.bodyText)
  const header = template.headerText ? placesOf(template.headerText).map((name) => `Header ${name}`) : []
  const buttons = template.buttons
    .filter(({ url }) => url?.includes('{{'))
    .map(({ text }) => `Button “${text}”`)
  const labels = [...body.map((name) => (/^\d+$/.test(name) ? `Value ${name}` : name)), ...header, ...buttons]
  while (labels.length < template.countParameters) labels.push(`Value ${labels.length + 1}`)
  return labels.slice(0, template.countParameters)
}

const placesOf = (text: string): string[] => {
  const names = [...text.matchAll(PLACE)].map(([, name]) => name!)
  const unique = [...new Set(names)]
  return unique.every((name) => /^\d+$/.test(name)) ? unique.sort((a, b) => Number(a) - Number(b)) : unique
}

export type Piece = { text: string; isValue: boolean; isMissing: boolean }

/** A text with its places filled, or named where nothing is given yet. */
export const fillText = (text: string, values: readonly string[]): Piece[] => {
  const names = placesOf(text)
  const pieces: Piece[] = []
  let at = 0
  for (const match of text.matchAll(PLACE)) {
    if (match.index > at) pieces.push({ text: text.slice(at, match.index), isValue: false, isMissing: false })
    const value = values[names.indexOf(match[1]!)] ?? ''
    pieces.push({ text: value || match[0], isValue: true, isMissing: value === '' })
    at = match.index + match[0].length
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isValue: false, isMissing: false })
  return pieces
}

/** Why WhatsApp would refuse a value, or null. */
export const problemOfValue = (value: string): string | null =>
  value.trim() === ''
    ? 'This is needed.'
    : /[\n\t]/.test(value)
      ? 'No line breaks or tabs here.'
      : / {5}/.test(value)
        ? 'At most four spaces in a row.'
        : null
