import assert from 'node:assert/strict'
import { test } from 'node:test'
import { guessColumns, hasNames } from './columns.ts'
import { readTable } from './read-table.ts'

const ROWS = [
  ['Name', 'E-mail', 'Città'],
  ['José "Pepe" Núñez', 'pepe@example.org', 'Málaga, ES'],
]
const written = (separator: string) =>
  ROWS.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(separator)).join('\r\n')

test('a table is read in the encodings and with the separators of spreadsheets', () => {
  for (const separator of [',', ';', '\t', '|']) {
    const text = written(separator)
    const swapped = Buffer.from(text, 'utf16le').swap16()
    const files = {
      'UTF-8': Buffer.from(text),
      'UTF-8 with a mark': Buffer.from(`\ufeff${text}`),
      'UTF-16': Buffer.from(`\ufeff${text}`, 'utf16le'),
      'UTF-16, big end first': Buffer.concat([Buffer.from([0xfe, 0xff]), swapped]),
      'UTF-16 without a mark': Buffer.from(text, 'utf16le'),
      'windows-1252': Buffer.from(text, 'latin1'),
    }
    for (const [name, bytes] of Object.entries(files)) assert.deepEqual(readTable(bytes), ROWS, name)
  }
})

test('text in any script, line breaks in quotes, empty lines and rows of other lengths are read', () => {
  const text = 'name,phone\n"أمل\nحداد",+39 312\n\n,,\nBob "the" Great,+44,more\n'
  assert.deepEqual(readTable(Buffer.from(text)), [
    ['name', 'phone'],
    ['أمل\nحداد', '+39 312'],
    ['Bob "the" Great', '+44', 'more'],
  ])
})

test('columns are guessed by their names, each address once', () => {
  const names = ['First name', 'Nachname', 'E-Mail', 'Email 2', 'Mobile', 'Customer ID', 'Plan', ' ']
  assert.deepEqual(
    guessColumns(names).map(({ to, field }) => field ?? to),
    ['name', 'name', 'email', 'Email 2', 'phone', 'externalId', 'Plan', 'none'],
  )
  assert.equal(hasNames([['Name', 'Email']]), true)
  assert.equal(hasNames([['Ann', 'ann@example.org']]), false)
  assert.equal(hasNames([['Ann', '+44 20 7946 0000']]), false)
})
