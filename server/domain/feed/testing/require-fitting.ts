import assert from 'node:assert/strict'
import { Ajv } from 'ajv'
import { closed } from '../../../../test/app.ts'
import { PUBLIC_TYPES, type PublicTypeName } from '../catalogue.ts'

const ajv = new Ajv({ strict: false, validateFormats: false })

/** Throws unless an event has exactly the data that its type promises. */
export const requireFitting = ({ type, data }: { type: PublicTypeName; data: object }): void => {
  const fits = ajv.compile(closed(PUBLIC_TYPES[type].data) as object)
  assert.ok(fits(data), `${type}: ${ajv.errorsText(fits.errors)} in ${JSON.stringify(data)}`)
}
