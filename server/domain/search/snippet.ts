// The part of a text that shows why it was found, and where in it the terms are.
import { findMarks, type Mark } from '../../../marks/find-marks.ts'

const BEFORE = 40
const LENGTH = 160

export type Snippet = { text: string; marks: Mark[] }

/** Not within a surrogate pair, and if a word begins nearby, there. */
const startBefore = (text: string, at: number): number => {
  const earliest = at - BEFORE
  if (earliest <= 0) return 0
  const space = text.slice(earliest, at).search(/\s/)
  const start = space === -1 ? earliest : earliest + space + 1
  return /[\udc00-\udfff]/.test(text[start]!) ? start + 1 : start
}

/** Line breaks become spaces. Text that was left out before or after shows as an ellipsis. */
export const makeSnippet = (text: string, expressions: readonly RegExp[]): Snippet => {
  const line = text.replaceAll(/\s/g, ' ')
  const marks = findMarks(line, expressions)
  const start = startBefore(line, marks[0]?.[0] ?? 0)
  const cut = line.slice(start, start + LENGTH).replace(/[\ud800-\udbff]$/, '')
  const end = start + cut.length
  const prefix = start > 0 ? '…' : ''
  const by = prefix.length - start
  return {
    text: `${prefix}${cut}${end < line.length ? '…' : ''}`,
    marks: marks.flatMap(([from, to]): Mark[] => (from < end ? [[from + by, Math.min(to, end) + by]] : [])),
  }
}
