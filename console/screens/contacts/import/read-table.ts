// Reads a CSV file, whatever program wrote it: its encoding and separator are guessed.
import { parse } from 'csv-parse/browser/esm/sync'

const SEPARATORS = [',', ';', '\t', '|']
/** Enough to guess from. */
const SAMPLE_MAX = 64 * 1024

export const decode = (bytes: Uint8Array): string => {
  const [a, b] = bytes
  if (a === 0xff && b === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (a === 0xfe && b === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  const sample = bytes.subarray(0, SAMPLE_MAX)
  const zeros = [0, 0]
  for (const [index, byte] of sample.entries()) if (byte === 0) zeros[index % 2]!++
  // Western text in UTF-16 has a zero in every character.
  if (zeros[1]! > sample.length / 4) return new TextDecoder('utf-16le').decode(bytes)
  if (zeros[0]! > sample.length / 4) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** The one that most of the first lines have equally often. */
export const separatorOf = (text: string): string => {
  const sample = text.slice(0, SAMPLE_MAX)
  const columns = SEPARATORS.map((separator) => {
    try {
      const rows = parseRows(sample, separator, 20)
      const width = rows[0]?.length ?? 0
      return rows.filter((row) => row.length === width).length === rows.length ? width : width / 2
    } catch {
      return 0
    }
  })
  return SEPARATORS[columns.indexOf(Math.max(...columns))]!
}

const parseRows = (text: string, delimiter: string, to?: number): string[][] =>
  parse(text, {
    delimiter,
    bom: true,
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    ...(to !== undefined && { to }),
  }).filter((row) => row.some((cell) => cell.trim() !== ''))

/** Throws an error whose message says what is wrong with the file. */
export const readTable = (bytes: Uint8Array): string[][] => {
  const text = decode(bytes)
  return parseRows(text, separatorOf(text))
}
