import assert from 'node:assert/strict'
import { test } from 'node:test'
import { phoneVariants } from './phone-variants.ts'

const PAIRS: [country: string, shorter: string, longer: string][] = [
  ['Brazil, São Paulo', '551187654321', '5511987654321'],
  ['Brazil, Minas Gerais', '553165432109', '5531965432109'],
  ['Brazil, Amazonas', '559297654321', '5592997654321'],
  ['Argentina, Buenos Aires', '541123456789', '5491123456789'],
  ['Argentina, Córdoba', '543514567890', '5493514567890'],
  ['Mexico, Mexico City', '525512345678', '5215512345678'],
  ['Mexico, Monterrey', '528112345678', '5218112345678'],
]

const ALONE: [why: string, phone: string][] = [
  ['a Brazilian landline beginning with 3', '551132654321'],
  ['a Brazilian landline beginning with 2', '552122654321'],
  ['a Brazilian landline beginning with 4', '551143218765'],
  ['a Brazilian landline beginning with 5', '556155123456'],
  ['a Brazilian mobile number that was never shorter', '5511943218765'],
  ['a Brazilian number one digit too long', '55119876543210'],
  ['a Brazilian number one digit too short', '55118765432'],
  ['a Brazilian area code with a zero', '551087654321'],
  ['an Argentine number too short', '54112345678'],
  ['a Mexican number too long', '52155123456789'],
  ['an American number', '16505551234'],
  ['a German number', '4915112345678'],
  ['an American number that contains 52 1', '15215551234'],
  ['a business-scoped user id', 'US.13491208655302741918'],
  ['nothing', ''],
]

for (const [country, shorter, longer] of PAIRS)
  test(`${country}: either spelling finds the other, in the same format`, () => {
    assert.deepEqual(phoneVariants(shorter), [shorter, longer])
    assert.deepEqual(phoneVariants(longer), [longer, shorter])
    assert.deepEqual(phoneVariants(`+${shorter}`), [`+${shorter}`, `+${longer}`])
    assert.deepEqual(phoneVariants(`+${longer}`), [`+${longer}`, `+${shorter}`])
  })

for (const [why, phone] of ALONE)
  test(`${why} has no other spelling`, () => {
    assert.deepEqual(phoneVariants(phone), [phone])
  })
