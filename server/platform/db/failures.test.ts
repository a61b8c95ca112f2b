import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDatabaseUnavailable } from './failures.ts'

const sqlState = (code: string) => Object.assign(new Error('said by PostgreSQL'), { code })
const system = (code: string, syscall?: string) =>
  Object.assign(new Error(code), { code, ...(syscall && { syscall }) })

test('temporary failures are distinguished from errors in the request', () => {
  const passing = [
    ...[
      '08006',
      '25006',
      '25P03',
      '40001',
      '40P01',
      '53100',
      '53200',
      '53300',
      '55P03',
      '57014',
      '57P01',
    ].map(sqlState),
    system('ECONNREFUSED', 'connect'),
    system('ENOENT', 'connect'),
    system('ECONNRESET'),
    new AggregateError([system('ECONNREFUSED', 'connect')]),
    new Error('Query read timeout'),
    new Error('Connection terminated due to connection timeout'),
    new Error('timeout exceeded when trying to connect'),
  ]
  for (const error of passing) assert.equal(isDatabaseUnavailable(error), true, String(error))

  const lasting = [
    ...['22P02', '23503', '23505', '42P01', '42501', '21000'].map(sqlState),
    system('ENOENT', 'open'),
    new Error('anything else'),
    null,
    'a string',
  ]
  for (const error of lasting) assert.equal(isDatabaseUnavailable(error), false, String(error))
})
