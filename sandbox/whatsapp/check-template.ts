// Validates a template message with the Graph API's errors, and renders it for the phone.
import type { Json } from '../http.ts'
import { checkMediaReference } from './check-message.ts'
import { GraphError, isInvalid, isMissing, isUnfit } from './graph-error.ts'
import type { BusinessAccount } from './surroundings.ts'
import { type Button, type Component, componentOf, keyOf, type Template, variablesOf } from './template.ts'
import type { World } from './world.ts'

type Parameter = Json & { type: string }
type Given = { type: string; subType: string; index: number; parameters: Parameter[] }

const BODY_MAX = 1024
const PAYLOAD_MAX = 256
const COUPON_MAX = 15
const SENDABLE = new Set(['APPROVED', 'REINSTATED', 'FLAGGED'])

export type Rendered = {
  template: Template
  header: Json | null
  body: string
  footer: string | null
  buttons: { type: string; text: string; url?: string; phoneNumber?: string; payload?: string }[]
}

/** Returns what the customer sees. Throws the GraphError that Meta would return. */
export const checkTemplate = (world: World, account: BusinessAccount, asked: Json): Rendered => {
  const { name } = asked
  const language = (asked.language as Json | undefined)?.code
  if (typeof name !== 'string' || !name) throw isMissing("template['name']")
  if (typeof language !== 'string' || !language) throw isMissing("template['language']['code']")

  const template = account.templates.get(keyOf({ name, language }))
  if (template?.status === 'PAUSED') throw new GraphError(132015, { details: `template (${name}) is paused` })
  if (template?.status === 'DISABLED')
    throw new GraphError(132016, { details: `template (${name}) is disabled` })
  if (!template || !SENDABLE.has(template.status))
    throw new GraphError(132001, { details: `template name (${name}) does not exist in ${language}` })

  const given = readComponents(asked.components)
  const header = checkHeader(world, template, given)
  const body = checkText(template, componentOf(template, 'BODY'), given, 'body')
  if ([...body].length > BODY_MAX)
    throw new GraphError(132005, { details: `body: hydrated text exceeds ${BODY_MAX} characters` })
  return {
    template,
    header,
    body,
    footer: componentOf(template, 'FOOTER')?.text ?? null,
    buttons: checkButtons(template, given),
  }
}

const readComponents = (components: unknown): Given[] => {
  if (components === undefined || components === null) return []
  if (!Array.isArray(components)) throw isInvalid("Param template['components'] must be an array")
  return components.map((component: Json, at) => {
    const type = String(component?.type ?? '').toLowerCase()
    if (!['header', 'body', 'button', 'footer', 'carousel', 'limited_time_offer'].includes(type))
      throw isInvalid(`Param template['components'][${at}]['type'] must be one of {HEADER, BODY, BUTTON}`)
    const parameters = component.parameters ?? []
    if (!Array.isArray(parameters) || parameters.some((one) => typeof one?.type !== 'string'))
      throw isInvalid(
        `Param template['components'][${at}]['parameters'] must be an array of typed parameters`,
      )
    const index = Number(component.index ?? -1)
    if (type === 'button' && !(Number.isInteger(index) && index >= 0 && index < 10))
      throw isMissing(`template['components'][${at}]['index']`)
    return { type, subType: String(component.sub_type ?? '').toLowerCase(), index, parameters }
  })
}

const givenFor = (given: Given[], type: string): Parameter[] =>
  given.find((component) => component.type === type)?.parameters ?? []

const checkHeader = (world: World, template: Template, given: Given[]): Json | null => {
  const header = componentOf(template, 'HEADER')
  if (!header) {
    checkCount('header', givenFor(given, 'header').length, 0)
    return null
  }
  const format = (header.format ?? 'TEXT').toUpperCase()
  if (format === 'TEXT') return { format: 'text', text: checkText(template, header, given, 'header') }

  const [parameter, ...more] = givenFor(given, 'header')
  const received = parameter?.type.toUpperCase() ?? 'UNKNOWN'
  if (received !== format)
    throw new GraphError(132012, {
      details: `header: Format mismatch, expected ${format}, received ${received}`,
    })
  checkCount('header', 1 + more.length, 1)
  const kind = format.toLowerCase()
  const content = parameter![kind]
  if (!content || typeof content !== 'object') throw isMissing(`${kind}`)
  if (format === 'LOCATION') {
    const { latitude, longitude } = content as Json
    if (!Number.isFinite(Number(latitude ?? Number.NaN)) || !Number.isFinite(Number(longitude ?? Number.NaN)))
      throw new GraphError(132012, { details: 'header: location needs latitude and longitude' })
  } else checkMediaReference(world, kind, content as Json)
  return { format: kind, ...(content as Json) }
}

const checkCount = (where: string, given: number, expected: number): void => {
  if (given !== expected)
    throw new GraphError(132000, {
      details: `${where}: number of localizable_params (${given}) does not match the expected number of params (${expected})`,
    })
}

/** Checks a text's parameters against its variables and returns the text with them filled in. */
const checkText = (
  template: Template,
  component: Component | undefined,
  given: Given[],
  where: string,
): string => {
  const text = component?.text ?? ''
  const variables = variablesOf(text)
  const parameters = givenFor(given, where)
  checkCount(where, parameters.length, variables.length)
  const isNamed = template.parameter_format === 'NAMED'
  const values = new Map<string, string>()
  parameters.forEach((parameter, at) => {
    const name = isNamed ? parameter.parameter_name : (parameter.parameter_name ?? String(at + 1))
    if (typeof name !== 'string' || !name) throw isInvalid('Parameter name is missing or empty')
    if (isNamed && !variables.includes(name))
      throw isInvalid(`${where}: parameter name (${name}) does not exist in the template`)
    if (!isNamed && parameter.parameter_name !== undefined)
      throw isInvalid(`${where}: named parameters are not allowed in a template with positional ones`)
    values.set(name, textOf(parameter, where))
  })
  const missing = isNamed && variables.find((name) => !values.has(name))
  if (missing) throw new GraphError(132000, { details: `${where}: parameter (${missing}) is missing` })
  // Numbered variables are filled by position, whatever number they start from.
  return text.replace(/\{\{\s*([a-z0-9_]+)\s*\}\}/gi, (_, name: string) =>
    isNamed ? (values.get(name) ?? '') : (values.get(String(variables.indexOf(name) + 1)) ?? ''),
  )
}

const textOf = (parameter: Parameter, where: string): string => {
  const type = parameter.type.toLowerCase()
  const fallback = (parameter[type] as Json | undefined)?.fallback_value
  if ((type === 'currency' || type === 'date_time') && typeof fallback === 'string') return fallback
  if (type !== 'text')
    throw new GraphError(132012, {
      details: `${where}: Format mismatch, expected TEXT, received ${parameter.type.toUpperCase()}`,
    })
  const { text } = parameter
  if (typeof text !== 'string' || text === '') throw isMissing(`${where} parameter text`)
  if (/[\n\r\t]| {5}/.test(text))
    throw new GraphError(132018, {
      details: 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces',
    })
  return text
}

const checkButtons = (template: Template, given: Given[]): Rendered['buttons'] => {
  const buttons = componentOf(template, 'BUTTONS')?.buttons ?? []
  for (const { type, index, subType } of given) {
    if (type !== 'button') continue
    const button = buttons[index]
    if (!button)
      throw new GraphError(132018, {
        details: `buttons: Button at index ${index} does not exist in the template`,
      })
    const expected = SUB_TYPES[button.type.toUpperCase()]
    if (expected && !expected.includes(subType))
      throw new GraphError(132018, {
        details: `buttons: Button at index ${index} is of type ${button.type}, received ${subType || 'UNKNOWN'}`,
      })
  }
  return buttons.map((button, index) =>
    checkButton(
      button,
      index,
      given.find((one) => one.type === 'button' && one.index === index),
    ),
  )
}

const SUB_TYPES: Record<string, string[]> = {
  QUICK_REPLY: ['quick_reply'],
  URL: ['url'],
  OTP: ['url', 'copy_code'],
  COPY_CODE: ['copy_code'],
  FLOW: ['flow'],
  CATALOG: ['catalog'],
  MPM: ['mpm'],
}

const checkButton = (
  button: Button,
  index: number,
  given: Given | undefined,
): Rendered['buttons'][number] => {
  const type = button.type.toUpperCase()
  const text = button.text ?? ''
  const parameter = given?.parameters[0]
  const needs = (kind: string): GraphError =>
    new GraphError(131008, {
      details: `buttons: Button at index ${index} of type ${kind} requires a parameter`,
    })

  if (type === 'URL' || type === 'OTP') {
    const isDynamic = type === 'OTP' || variablesOf(button.url).length > 0
    if (!isDynamic && parameter)
      throw new GraphError(132018, {
        details: `buttons: Button at index ${index} of type Url does not require any parameters`,
      })
    if (!isDynamic) return { type, text, url: button.url }
    if (!parameter) throw needs('Url')
    const value = parameter.type.toLowerCase() === 'coupon_code' ? parameter.coupon_code : parameter.text
    if (typeof value !== 'string' || !value) throw needs('Url')
    return { type, text, url: button.url?.replace(/\{\{\s*\w+\s*\}\}/, () => value) }
  }
  if (type === 'COPY_CODE') {
    const code = parameter?.coupon_code
    if (typeof code !== 'string' || !code) throw needs('CopyCode')
    if ([...code].length > COUPON_MAX) throw isUnfit(`coupon_code is longer than ${COUPON_MAX} characters`)
    return { type, text, payload: code }
  }
  if (type === 'QUICK_REPLY') {
    const payload = parameter?.payload ?? text
    if (typeof payload !== 'string' || [...payload].length > PAYLOAD_MAX)
      throw isUnfit(`Button payload must be at most ${PAYLOAD_MAX} characters`)
    return { type, text, payload }
  }
  return { type, text, ...(button.phone_number && { phoneNumber: button.phone_number }) }
}
