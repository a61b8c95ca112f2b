// Renders template text for previews. Pure.

import { t } from '../words/t.ts'
import { countOf } from './amounts.ts'
import type { RichTemplate } from './types.ts'

const PLACE = /\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g

/** The names of the places in the order in which parameters are given: the body's, the header's, each button's. */
/** Headers that a broadcast cannot fill; an image may be the template's own. */
export const needsHeaderFile = ({ headerFormat }: RichTemplate): boolean =>
  headerFormat !== null && headerFormat !== 'TEXT'

export const parameterLabels = (template: RichTemplate): string[] => {
  if (template.parameterNames) return template.parameterNames
  const body = placesOf(template.bodyText)
  const header = template.headerText ? placesOf(template.headerText).map((name) => t`Header ${name}`) : []
  const buttons = template.buttons
    .filter(({ url }) => url?.includes('{{'))
    .map(({ text }) => t`Button “${text}”`)
  const labels = [
    ...body.map((name) => (/^\d+$/.test(name) ? t`Value ${name}` : name)),
    ...header,
    ...buttons,
  ]
  while (labels.length < template.countParameters) labels.push(t`Value ${labels.length + 1}`)
  return labels.slice(0, template.countParameters)
}

const placesOf = (text: string): string[] => {
  const names = [...text.matchAll(PLACE)].map(([, name]) => name!)
  const unique = [...new Set(names)]
  return unique.every((name) => /^\d+$/.test(name)) ? unique.sort((a, b) => Number(a) - Number(b)) : unique
}

export type Piece = { text: string; isValue: boolean; isMissing: boolean }
type Filled = { header: Piece[]; body: Piece[]; buttons: Piece[][] }

/** A template with its variables filled in; those without a value show their name. */
export const fillTemplate = (template: RichTemplate, values: readonly string[]): Filled => {
  const bodyCount = placesOf(template.bodyText).length
  const headerCount = placesOf(template.headerText ?? '').length
  return {
    header: fillText(template.headerText ?? '', values.slice(bodyCount, bodyCount + headerCount)),
    body: fillText(template.bodyText, values),
    buttons: template.buttons.map(({ text }) => fillText(text, [])),
  }
}

const fillText = (text: string, values: readonly string[]): Piece[] => {
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

export type Format = 'strong' | 'em' | 's' | 'code'
/** A run of text in WhatsApp's formatting, with the markers removed. */
export type Run = Piece & { formats: readonly Format[] }

const MARKS: Record<string, Format> = { '*': 'strong', _: 'em', '~': 's', '`': 'code' }
const MARKED = /(^|[^\p{L}\p{N}])(```|[*_~`])(?=\S)([\s\S]*?\S)\2(?![\p{L}\p{N}])/u
/** Stands in for values while markers are matched, so that a value can't contain one. */
const PLACEHOLDER_FIRST = 0xe000

export const formatPieces = (pieces: readonly Piece[]): Run[] => {
  const held: Piece[] = []
  const text = pieces
    .map((piece) =>
      piece.isValue ? String.fromCharCode(PLACEHOLDER_FIRST + held.push(piece) - 1) : piece.text,
    )
    .join('')
  return formatText(text, held, [])
}

const formatText = (text: string, held: readonly Piece[], formats: readonly Format[]): Run[] => {
  const match = formats.includes('code') ? null : MARKED.exec(text)
  if (!match) return runsOf(text, held, formats)
  const [whole, before = '', mark = '', inside = ''] = match
  return [
    ...runsOf(text.slice(0, match.index) + before, held, formats),
    ...formatText(inside, held, [...formats, MARKS[mark[0]!]!]),
    ...formatText(text.slice(match.index + whole.length), held, formats),
  ]
}

const runsOf = (text: string, held: readonly Piece[], formats: readonly Format[]): Run[] =>
  text
    .split(/([\ue000-\uf8ff])/)
    .filter((part) => part !== '')
    .map((part) => {
      const piece = held[part.charCodeAt(0) - PLACEHOLDER_FIRST]
      return piece ? { ...piece, formats } : { text: part, isValue: false, isMissing: false, formats }
    })

const VALUE_MAX = 1024

/** Why WhatsApp would reject a value, or null. */
export const problemOfValue = (value: string): string | null =>
  value.trim() === ''
    ? t`Required.`
    : /[\n\t]/.test(value)
      ? t`No line breaks or tabs.`
      : / {5}/.test(value)
        ? t`No more than four spaces in a row.`
        : // Code points, as everywhere; a field's own maxLength counts UTF-16.
          [...value].length > VALUE_MAX
          ? t`No more than ${countOf(VALUE_MAX)} characters.`
          : null
