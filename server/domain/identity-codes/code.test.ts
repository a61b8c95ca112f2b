import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeSeal } from '../../platform/seal.ts'
import { codeIn, codeOf, hideCodes, isRightCode, maskAddress } from './code.ts'

const seal = makeSeal('a key')
const ref = { workspaceId: 'w1', id: 'c1' }

test('a code is six digits, the same for its row and key, and different for others', () => {
  const code = codeOf(seal, ref)
  assert.match(code, /^\d{6}$/)
  assert.equal(codeOf(makeSeal('a key'), ref), code)
  const others = [
    codeOf(makeSeal('another key'), ref),
    codeOf(seal, { ...ref, workspaceId: 'w2' }),
    ...Array.from({ length: 50 }, (_, at) => codeOf(seal, { ...ref, id: `c${at + 2}` })),
  ]
  assert.ok(!others.includes(code))
  assert.ok(new Set(others).size > 45)
  assert.equal(isRightCode(seal, ref, code), true)
  for (const wrong of ['', code.slice(1), `${code}0`, others[0]!, ' '])
    assert.equal(isRightCode(seal, ref, wrong), false)
})

test('six digits are found by themselves, in any script, and nowhere in longer numbers or names', () => {
  for (const text of ['123456', ' 123 456 ', 'It is 123-456.', 'Code: １２３４５６', '١٢٣٤٥٦', '1 2 3 4 5 6'])
    assert.equal(codeIn(text), '123456', text)
  for (const text of [
    '',
    '12345',
    '1234567',
    'AB-123456',
    'X123456',
    '2026-123456',
    '+49 30 123456',
    '123456 or 654321',
  ])
    assert.equal(codeIn(text), null, text)
})

test('the codes of a conversation are hidden, other numbers aren’t', () => {
  const code = codeOf(seal, ref)
  const hide = hideCodes(seal, { workspaceId: 'w1', codeIds: ['c0', 'c1'] })
  const text = `Mine is ${code.slice(0, 3)} ${code.slice(3)} or ${code}, my order is ${Number(code) === 123456 ? '123457' : '123456'}.`
  assert.equal(hide(`Order 12 ${code} 3, AB-${code}`), 'Order [code], AB-[code]')
  assert.match(hide(text), /^Mine is \[code\] or \[code\], my order is 12345\d\.$/)
})

test('an address is shown so that its holder knows it', () => {
  assert.equal(maskAddress({ kind: 'email', address: 'maria.silva@example.org' }), 'm•••@example.org')
  assert.equal(maskAddress({ kind: 'phone', address: '+491700000041' }), '•••41')
})
