// A table as text: a paragraph for each row, in which each value follows the name of its column. What looks like a
// formula is text like any other. Pure.
import { escapeMarkdown } from './to-markdown.ts'

const SEPARATORS = [',', ';', '\t', '|']

const rowsOf = (text: string, separator: string): string[][] => {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let isQuoted = false
  const endRow = () => {
    row.push(cell)
    rows.push(row)
    row = []
    cell = ''
  }
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (isQuoted) {
      if (char !== '"') cell += char
      else if (text[at + 1] === '"') cell += text[++at]
      else isQuoted = false
    } else if (char === '"' && cell === '') isQuoted = true
    else if (char === separator) {
      row.push(cell)
      cell = ''
    } else if (char === '\n') endRow()
    else cell += char
  }
  if (cell !== '' || row.length > 0) endRow()
  return rows
    .map((cells) => cells.map((one) => one.replace(/\s+/g, ' ').trim()))
    .filter((cells) => cells.some(Boolean))
}

const separatorOf = (text: string): string => {
  const line = text.slice(0, text.indexOf('\n') < 0 ? undefined : text.indexOf('\n'))
  return SEPARATORS.reduce((best, one) => (line.split(one).length > line.split(best).length ? one : best))
}

export const readCsv = (text: string): string => {
  const [names = [], ...rows] = rowsOf(text, separatorOf(text))
  if (rows.length === 0) return escapeMarkdown(names.join(' '))
  return rows
    .map((cells) =>
      cells
        .map((cell, at) => (cell === '' ? '' : names[at] ? `${names[at]}: ${cell}` : cell))
        .filter(Boolean)
        .map(escapeMarkdown)
        .join('\n'),
    )
    .join('\n\n')
}
