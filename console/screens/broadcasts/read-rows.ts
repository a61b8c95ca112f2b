// Parses a pasted or opened table of recipients: a phone number per row and any values for the template. Pure.
import { t } from '../../words/t.ts'

export type Row = { line: number; phone: string; name?: string; parameters?: string[] }
type RowProblem = { line: number; text: string; message: string }
export type Rows = { rows: Row[]; problems: RowProblem[]; headings: string[] | null }

export const ROWS_MAX = 10_000

const PHONE_NAMES =
  /^(phone|phone ?number|number|mobile|cell|telephone|tel|whatsapp|to|recipient|telefon|handy)$/i
const NAME_NAMES = /^(name|full ?name|contact)$/i
const PHONE = /^\+?[\d\s().\u00a0-]+$/
/** A WhatsApp user id: a country code and an id for the person. */
const USER_ID = /^[A-Z]{2}\.[A-Za-z0-9.]+$/

const isPhone = (text: string): boolean => {
  const digits = text.replaceAll(/\D/g, '').length
  return USER_ID.test(text) || (PHONE.test(text) && digits >= 7 && digits <= 15)
}

/** The cell separator: the one that occurs most often in the first line. */
const separatorOf = (text: string): string => {
  const line = text.split(/\r?\n/, 1)[0] ?? ''
  return ['\t', ';', ','].reduce((best, sign) =>
    line.split(sign).length > line.split(best).length ? sign : best,
  )
}

/** Cells as spreadsheets write them: quoted if they contain a separator, quote or line break. */
const readCells = (text: string): { line: number; cells: string[] }[] => {
  const separator = separatorOf(text)
  const found: { line: number; cells: string[] }[] = []
  let cells: string[] = []
  let cell = ''
  let isQuoted = false
  let line = 1
  let startedAt = 1
  const endCell = (): void => {
    cells.push(cell.trim())
    cell = ''
  }
  const endRow = (): void => {
    endCell()
    if (cells.some((it) => it !== '')) found.push({ line: startedAt, cells })
    cells = []
    startedAt = line
  }
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!
    if (sign === '\n') line += 1
    if (isQuoted) {
      if (sign !== '"') cell += sign
      else if (text[at + 1] === '"') {
        cell += '"'
        at += 1
      } else isQuoted = false
    } else if (sign === '"' && cell.trim() === '') {
      cell = ''
      isQuoted = true
    } else if (sign === separator) endCell()
    else if (sign === '\n') endRow()
    else if (sign !== '\r') cell += sign
  }
  endRow()
  return found
}

/** A first row without a phone number is a header; without a header, the phone number comes first and values follow. */
export const readRows = (given: string): Rows => {
  const table = readCells(given.replace(/^\ufeff/, ''))
  const first = table[0]
  if (!first) return { rows: [], problems: [], headings: null }
  const hasHeadings = !first.cells.some(isPhone) && table.length > 1
  const titles = hasHeadings ? first.cells : null
  const phoneAt = Math.max(0, titles?.findIndex((title) => PHONE_NAMES.test(title)) ?? 0)
  const nameAt = titles?.findIndex((title) => NAME_NAMES.test(title)) ?? -1
  const isValue = (_: string, at: number): boolean => at !== phoneAt && at !== nameAt
  const rows: Row[] = []
  const problems: RowProblem[] = []
  for (const { line, cells } of hasHeadings ? table.slice(1) : table) {
    const phone = cells[phoneAt] ?? ''
    if (!isPhone(phone)) {
      problems.push({
        line,
        text: phone || cells.join(' '),
        message: t`isn’t a phone number with a country code`,
      })
      continue
    }
    const values = cells.filter(isValue)
    // A row without values gets the shared ones.
    const isBare = values.every((value) => value === '')
    const name = nameAt >= 0 ? cells[nameAt] : undefined
    rows.push({ line, phone, ...(name && { name }), ...(!isBare && { parameters: values }) })
  }
  return { rows, problems, headings: titles ? titles.filter(isValue) : null }
}
