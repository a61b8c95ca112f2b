// Checks an action that an admin entered, in words that name the field.
import { isReservedName } from '../../../flow-engine/shapes.ts'
import type { ACTION_NEEDS, ActionParameter } from '../../platform/db/tables.ts'
import { type ErrorDetail, invalid } from '../../platform/errors.ts'
import type { NewAction } from './schema.ts'
import { parseUrlTemplate } from './url-template.ts'

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/
/** Printable ASCII and tabs, so that a value can't end its line. */
const HEADER_VALUE = /^[\t\x20-\x7e]+$/
/** They belong to the connection, to the body, or to us. */
const OWN_HEADERS =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-.*|accept|accept-encoding|user-agent|idempotency-key)$/
const PATH_DEPTH_MAX = 10

type Refuse = (field: string, message: string) => void

/** The action with the names of its headers in lowercase. Throws VALIDATION_ERROR naming everything that is wrong. */
export const readAction = (input: NewAction): NewAction => {
  const problems: ErrorDetail[] = []
  const refuse: Refuse = (field, message) => problems.push({ field, message })
  const url = readUrl(input, refuse)
  for (const [index, parameter] of input.parameters.entries())
    readParameter(parameter, (message) => refuse(`parameters[${index}]`, message))
  refuseTwice(input.parameters, 'parameters', refuse)
  refuseUnknownContact(input, refuse)
  for (const [index, { name, path }] of input.keep.entries()) {
    if (isReservedName(name)) refuse(`keep[${index}]`, `${name} is a reserved name`)
    const segments = path.split('.')
    if (segments.length > PATH_DEPTH_MAX || segments.some((segment) => segment === ''))
      refuse(`keep[${index}]`, `“${path}” must be up to ${PATH_DEPTH_MAX} field names separated by dots`)
  }
  refuseTwice(input.keep, 'keep', refuse)
  const headers = input.headers.map(({ name, ...rest }) => ({ name: name.toLowerCase(), ...rest }))
  for (const [index, { name, value }] of headers.entries()) {
    if (!HEADER_NAME.test(name)) refuse(`headers[${index}]`, `“${name}” can’t be the name of a header`)
    else if (OWN_HEADERS.test(name)) refuse(`headers[${index}]`, `${name} is set by Foyer`)
    else if (value !== undefined && !HEADER_VALUE.test(value))
      refuse(`headers[${index}]`, `the value of ${name} must be printable ASCII on one line`)
  }
  refuseTwice(headers, 'headers', refuse)
  if (problems.length > 0) throw invalid(...problems)
  return { ...input, url, headers }
}

const readUrl = ({ url, parameters }: NewAction, refuse: Refuse): string => {
  const template = parseUrlTemplate(url)
  if ('problem' in template) {
    refuse('url', template.problem)
    return url
  }
  const unknown = template.names.find((name) => !parameters.some((parameter) => parameter.name === name))
  if (unknown) refuse('url', `has {{${unknown}}}, which is not one of the parameters`)
  const optional = parameters.find(({ name, isRequired }) => !isRequired && template.pathNames.includes(name))
  if (optional) refuse('url', `has {{${optional.name}}} in its path, so that parameter must be required`)
  return template.text
}

/** Whoever may be anyone could name any address, and would read what belongs to it. */
export const refuseUnknownContact = (
  { parameters, needs }: { parameters: readonly ActionParameter[]; needs: (typeof ACTION_NEEDS)[number] },
  refuse: Refuse,
): void => {
  if (needs === 'none' && parameters.some(({ fromContact }) => fromContact))
    refuse('needs', 'must be at least a known customer, because a value comes from the contact')
}

export const refuseSource = (
  { name, fromContact }: Pick<ActionParameter, 'name' | 'fromContact'>,
  refuse: (message: string) => void,
): void => {
  if (!fromContact || (fromContact.is === 'field') === (fromContact.field !== undefined)) return
  refuse(
    fromContact.is === 'field' ? `${name} needs the name of a custom field` : `${name} takes no custom field`,
  )
}

const readParameter = (parameter: ActionParameter, refuse: (message: string) => void): void => {
  const { name, type, options } = parameter
  refuseSource(parameter, refuse)
  if (isReservedName(name)) refuse(`${name} is a reserved name`)
  if (type === 'enum' && (!options || options.length === 0)) refuse(`${name} needs at least one option`)
  if (options && new Set(options).size < options.length) refuse(`${name} has an option twice`)
}

const refuseTwice = (list: readonly { name: string }[], field: string, refuse: Refuse): void => {
  const seen = new Set<string>()
  for (const [index, { name }] of list.entries()) {
    if (seen.has(name)) refuse(`${field}[${index}]`, `${name} is listed twice`)
    seen.add(name)
  }
}
