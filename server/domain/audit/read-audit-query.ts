import { PAGE_MAX } from '../../platform/db/pagination.ts'
import { type Fields, makeFieldReader } from '../read-fields.ts'
import { AUDIT_ACTIONS, type AuditQuery } from './schema.ts'

const TEXT_MAX = 200

/** A query from the command line. Throws VALIDATION_ERROR. */
export const readAuditQuery = (fields: Fields): AuditQuery => {
  const reader = makeFieldReader(fields)
  const { isGiven, optional, text, integer, refuse, finish } = reader
  const time = (field: string): string => {
    const value = text(field, TEXT_MAX)
    if (value !== '' && Number.isNaN(Date.parse(value)))
      refuse(field, 'must be a time such as 2026-11-21T09:30:00Z')
    return value
  }
  const action = AUDIT_ACTIONS.find((one) => one === fields.action)
  if (isGiven('action') && !action) refuse('action', `must be one of ${AUDIT_ACTIONS.join(', ')}`)
  const query = {
    actor: optional('actor', () => text('actor', TEXT_MAX)),
    action,
    after: optional('after', () => time('after')),
    before: optional('before', () => time('before')),
    cursor: optional('cursor', () => text('cursor', TEXT_MAX)),
    limit: optional('limit', () => integer('limit', 1, PAGE_MAX)),
  }
  finish()
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
}
