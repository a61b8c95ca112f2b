// Message templates: reads the provider's definition; lists, validates, sends and shows templates. The components of a
// send depend only on the stored definition, never on which values were given.
// https://developers.facebook.com/documentation/business-messaging/whatsapp/templates/overview

import type { TemplateComponent } from '../contract/channel.ts'
import { idOf, type JsonObject, lineOf, listOf, objectOf, textOf } from '../protocol/read-json.ts'
import {
  type HeaderValues,
  headerParameter,
  problemsOfHeader,
  type TemplateHeader,
  type TemplateProblem,
  unknownFormatOf,
  type Variable,
} from './template-header.ts'

type TemplateButton =
  /** Takes no parameter: quick replies, phone numbers, fixed URLs. */
  | { kind: 'static'; text: string }
  | { kind: 'url'; text: string; url: string }
  | { kind: 'copyCode'; text: string }
  /** Takes the same code as the body. */
  | { kind: 'oneTimeCode'; text: string }
  | { kind: 'flow'; text: string }
  | { kind: 'other'; text: string; name: string }

/** One (name, language) of a WhatsApp Business account, as stored. */
export type TemplateDefinition = {
  id: string | null
  name: string
  language: string
  category: 'MARKETING' | 'UTILITY' | 'AUTHENTICATION' | (string & {})
  /** The provider's own value, upper case. Unknown states are kept. */
  status: string
  qualityScore: string | null
  rejectedReason: string | null
  parameterFormat: 'positional' | 'named'
  header: TemplateHeader | null
  body: { text: string; variables: Variable[] }
  footer: string | null
  buttons: TemplateButton[]
  /** Parts that need a value but that we can't fill. */
  unsupported: string[]
  /** The sample values given to the provider, in parameter order; '' if there is none. */
  examples?: string[]
}

export type ListedTemplate = {
  name: string
  language: string
  category: TemplateDefinition['category']
  headerText: string | null
  /** With {{1}}, {{2}}, … in parameter order, even if they are named. */
  bodyText: string
  /** How many parameters a send takes; see countParameters. */
  variableCount: number
  /** The provider's format: TEXT, IMAGE, VIDEO, DOCUMENT, LOCATION; null without a header. */
  headerFormat: string | null
  /** Whether it is approved and we can fill all its parts. */
  isSendable: boolean
}

/** Everything that is shown of a template before it is sent. */
export type DescribedTemplate = Pick<
  TemplateDefinition,
  'name' | 'language' | 'category' | 'status' | 'qualityScore' | 'rejectedReason'
> & {
  isSendable: boolean
  /** The provider's format: TEXT, IMAGE, VIDEO, DOCUMENT, LOCATION; null without a header. */
  headerFormat: string | null
  headerText: string | null
  bodyText: string
  footerText: string | null
  /** A URL may contain its variable. */
  buttons: { type: string; text: string; url: string | null }[]
  /** The names of the parameters in order; null if they are numbered. */
  parameterNames: string[] | null
  countParameters: number
  exampleValues: string[]
}

export type TemplateValues = HeaderValues & { parameters: readonly string[] }

export const PARAMETER_MAX = 1024
const HYDRATED_BODY_MAX = 1024
const HEADER_TEXT_MAX = 60
const COPY_CODE_MAX = 15
const URL_MAX = 2000
const BUTTONS_MAX = 20
const SENDABLE: readonly string[] = ['APPROVED', 'REINSTATED', 'FLAGGED']
/** In old accounts, transactional templates still have their old category. */
const OLD_CATEGORIES: Record<string, string> = { TRANSACTIONAL: 'UTILITY', OTP: 'AUTHENTICATION' }

const VARIABLE = /\{\{\s*([A-Za-z0-9_]{1,64})\s*\}\}/g

/** Distinct variables: numbers in ascending order, names in order of appearance. */
const variablesOf = (text: string): Variable[] => {
  const names = [...new Set([...text.matchAll(VARIABLE)].map(([, name]) => name!))]
  return names.every((name) => /^\d+$/.test(name)) ? names.sort((a, b) => Number(a) - Number(b)) : names
}

const fill = (text: string, variables: Variable[], valueAt: (index: number) => string): string =>
  text.replace(VARIABLE, (whole, name: string) => {
    const index = variables.indexOf(name)
    return index === -1 ? whole : valueAt(index)
  })

/** The definition to store; undefined if it has no name or language. Never throws. */
export const readTemplate = (raw: unknown): TemplateDefinition | undefined => {
  const template = objectOf(raw)
  const name = lineOf(template.name)
  const language = lineOf(template.language, 64)
  if (!name || !language) return undefined
  const category = wordOf(template.category) ?? 'UTILITY'
  const isAuthentication = category === 'AUTHENTICATION' || category === 'OTP'
  const definition: TemplateDefinition = {
    id: idOf(template.id),
    name,
    language,
    category: OLD_CATEGORIES[category] ?? category,
    status: wordOf(template.status) ?? 'UNKNOWN',
    qualityScore: wordOf(objectOf(template.quality_score).score),
    rejectedReason: wordOf(template.rejected_reason),
    parameterFormat: wordOf(template.parameter_format) === 'NAMED' ? 'named' : 'positional',
    header: null,
    body: { text: '', variables: [] },
    footer: null,
    buttons: [],
    unsupported: [],
  }
  for (const component of listOf(template.components)) readComponent(definition, component, isAuthentication)
  const { body, buttons } = definition
  if (body.variables.length === 0 && buttons.some(({ kind }) => kind === 'oneTimeCode'))
    body.variables = ['1']
  if (definition.body.variables.some((variable) => !/^\d+$/.test(variable)))
    definition.parameterFormat = 'named'
  const examples = readExamples(definition, listOf(template.components).map(objectOf))
  if (examples.some((example) => example !== '')) definition.examples = examples
  return definition
}

/** The samples of a definition, one for each parameter. They are lists, or objects if the parameters are named. */
const readExamples = (definition: TemplateDefinition, components: JsonObject[]): string[] => {
  const partOf = (type: string) => components.find((component) => wordOf(component.type) === type) ?? {}
  const exampleOf = (part: JsonObject) => objectOf(part.example)
  const shownTo = (shown: unknown, variables: Variable[], byName: unknown) => (variable: Variable) => {
    const named = listOf(byName)
      .map(objectOf)
      .find(({ param_name }) => param_name === variable)
    const [first] = listOf(shown)
    const inOrder = Array.isArray(first) ? first : listOf(shown)
    return textOf(named?.example) ?? textOf(inOrder[variables.indexOf(variable)]) ?? ''
  }
  const body = exampleOf(partOf('BODY'))
  const header = exampleOf(partOf('HEADER'))
  const ofBody = shownTo(body.body_text, definition.body.variables, body.body_text_named_params)
  const headerVariables = definition.header?.format === 'text' ? definition.header.variables : []
  const ofHeader = shownTo(header.header_text, headerVariables, header.header_text_named_params)
  const buttons = listOf(partOf('BUTTONS').buttons).map(objectOf)
  return slotsOf(definition).map((slot) => {
    if (slot.at === 'button') return exampleOfButton(slot.button, buttons[slot.index]?.example)
    return (slot.at === 'body' ? ofBody : ofHeader)(slot.variable).slice(0, PARAMETER_MAX)
  })
}

/** The sample is the whole URL; the parameter is only its end. */
const exampleOfButton = (button: TemplateButton, example: unknown): string => {
  const shown = textOf(Array.isArray(example) ? example[0] : example) ?? ''
  if (button.kind !== 'url') return shown.slice(0, PARAMETER_MAX)
  const start = button.url.slice(0, button.url.indexOf('{{'))
  return (shown.startsWith(start) ? shown.slice(start.length) : shown).slice(0, PARAMETER_MAX)
}

const wordOf = (value: unknown): string | null => lineOf(value, 64)?.toUpperCase() ?? null

const readComponent = (definition: TemplateDefinition, value: unknown, isAuthentication: boolean): void => {
  const component = objectOf(value)
  const type = wordOf(component.type)
  if (type === 'HEADER') definition.header = readHeader(component)
  else if (type === 'BODY') definition.body = readBody(component, isAuthentication)
  else if (type === 'FOOTER') definition.footer = lineOf(component.text)
  else if (type === 'BUTTONS')
    definition.buttons = listOf(component.buttons)
      .slice(0, BUTTONS_MAX)
      .map((button) => readButton(objectOf(button), isAuthentication))
  else if (type && type !== 'CALL_PERMISSION_REQUEST') definition.unsupported.push(type.toLowerCase())
}

const readHeader = (component: JsonObject): TemplateHeader => {
  const format = wordOf(component.format) ?? 'TEXT'
  if (format === 'IMAGE') return { format: 'image', defaultUrl: null }
  if (format !== 'TEXT') return { format: 'other', name: format.toLowerCase() }
  const text = textOf(component.text) ?? ''
  return { format: 'text', text, variables: variablesOf(text) }
}

/** The body of a one-time code has WhatsApp's fixed wording, which a definition may omit. */
const readBody = (component: JsonObject, isAuthentication: boolean): TemplateDefinition['body'] => {
  const given = textOf(component.text)
  const advice =
    component.add_security_recommendation === true ? ' For your security, do not share this code.' : ''
  const text = given ?? (isAuthentication ? `*{{1}}* is your verification code.${advice}` : '')
  return { text, variables: variablesOf(text) }
}

const STATIC_BUTTONS: readonly string[] = [
  'QUICK_REPLY',
  'PHONE_NUMBER',
  'VOICE_CALL',
  'CALL_PERMISSION_REQUEST',
  'REQUEST_CONTACT_INFO',
  'CATALOG',
]

const readButton = (button: JsonObject, isAuthentication: boolean): TemplateButton => {
  const type = wordOf(button.type) ?? 'UNKNOWN'
  const text = lineOf(button.text) ?? ''
  if (type === 'OTP') return { kind: 'oneTimeCode', text }
  if (type === 'URL') {
    const url = textOf(button.url) ?? ''
    if (variablesOf(url).length === 0) return { kind: 'static', text }
    return isAuthentication ? { kind: 'oneTimeCode', text } : { kind: 'url', text, url }
  }
  if (type === 'COPY_CODE') return { kind: isAuthentication ? 'oneTimeCode' : 'copyCode', text }
  if (type === 'FLOW') return { kind: 'flow', text }
  return STATIC_BUTTONS.includes(type)
    ? { kind: 'static', text }
    : { kind: 'other', text, name: type.toLowerCase() }
}

export const isSendable = ({ status }: TemplateDefinition): boolean => SENDABLE.includes(status)

export const listedTemplate = (definition: TemplateDefinition): ListedTemplate => ({
  name: definition.name,
  language: definition.language,
  category: definition.category,
  headerText: definition.header?.format === 'text' ? numbered(definition.header) : null,
  bodyText: numbered(definition.body),
  variableCount: countParameters(definition),
  headerFormat: formatOf(definition.header),
  isSendable: canBeFilled(definition),
})

const formatOf = (header: TemplateHeader | null): string | null =>
  header && (header.format === 'other' ? header.name : header.format).toUpperCase()

const canBeFilled = (definition: TemplateDefinition): boolean =>
  isSendable(definition) && problemsOfDefinition(definition).length === 0

const BUTTON_TYPES: Record<TemplateButton['kind'], string> = {
  static: 'static',
  url: 'url',
  copyCode: 'copy_code',
  oneTimeCode: 'one_time_code',
  flow: 'flow',
  other: 'other',
}

export const describeTemplate = (definition: TemplateDefinition): DescribedTemplate => {
  const { name, language, category, status, qualityScore, rejectedReason, header, footer, buttons } =
    definition
  const slots = slotsOf(definition)
  return {
    name,
    language,
    category,
    status,
    qualityScore,
    rejectedReason,
    isSendable: canBeFilled(definition),
    headerFormat: formatOf(header),
    headerText: header?.format === 'text' ? numbered(header) : null,
    bodyText: numbered(definition.body),
    footerText: footer,
    buttons: buttons.map((button) => ({
      type: BUTTON_TYPES[button.kind],
      text: button.text,
      url: button.kind === 'url' ? button.url : null,
    })),
    parameterNames:
      definition.parameterFormat === 'named'
        ? slots.map((slot) => (slot.at === 'button' ? slot.button.text : slot.variable))
        : null,
    countParameters: slots.length,
    exampleValues: slots.map((_, index) => definition.examples?.[index] ?? ''),
  }
}

const numbered = ({ text, variables }: { text: string; variables: Variable[] }): string =>
  fill(text, variables, (index) => `{{${index + 1}}}`)

/** The place of one parameter. The body's come first, so that {{n}} in the listed text is the n-th parameter. */
type Slot =
  | { at: 'body'; variable: Variable }
  | { at: 'header'; variable: Variable }
  | { at: 'button'; index: number; button: TemplateButton }

const isFilled = ({ kind }: TemplateButton): boolean => kind === 'url' || kind === 'copyCode'

const slotsOf = ({ header, body, buttons }: TemplateDefinition): Slot[] => [
  ...body.variables.map((variable) => ({ at: 'body' as const, variable })),
  ...(header?.format === 'text' ? header.variables : []).map((variable) => ({
    at: 'header' as const,
    variable,
  })),
  ...buttons.flatMap((button, index) => (isFilled(button) ? [{ at: 'button' as const, index, button }] : [])),
]

/**
 * How many parameters a send takes: those of the body, then one for each variable in the header's text, then one for
 * each button with a variable URL or a code to copy.
 */
export const countParameters = (definition: TemplateDefinition): number => slotsOf(definition).length

/** Every error that can be found before the call, with its field. If empty, the template can be sent. */
export const validateParameters = (
  definition: TemplateDefinition,
  { parameters, ...header }: TemplateValues,
): TemplateProblem[] => [
  ...problemsOfDefinition(definition),
  ...problemsOfCount(definition, parameters.length),
  ...parameters.flatMap(problemsOfText),
  ...problemsOfLength(definition, parameters),
  ...problemsOfHeader(definition.header, header),
]

const problemsOfDefinition = ({ header, buttons, unsupported }: TemplateDefinition): TemplateProblem[] => {
  const parts = [
    ...[unknownFormatOf(header)].flatMap((name) => (name === null ? [] : [`a ${name} header`])),
    ...buttons.flatMap((button) => (button.kind === 'other' ? [`a button of type ${button.name}`] : [])),
    ...unsupported.map((part) => `a component of type ${part}`),
  ]
  return parts.map((part) => ({
    field: 'templateName',
    message: `The template has ${part}, which cannot be sent from here.`,
  }))
}

const problemsOfCount = (definition: TemplateDefinition, given: number): TemplateProblem[] => {
  const slots = slotsOf(definition)
  if (given === slots.length) return []
  const inBody = definition.body.variables.length
  const beyond = slots.slice(inBody).map((slot) => `one for ${nameOf(slot)}`)
  const parts = beyond.length === 0 ? '' : `: ${[`${inBody} for the body`, ...beyond].join(', then ')}`
  return [{ field: 'parameters', message: `must be exactly ${slots.length}${parts}; ${given} given` }]
}

const nameOf = (slot: Slot): string =>
  slot.at === 'button' ? `the button “${slot.button.text}”` : slot.at === 'header' ? 'the header' : 'the body'

const problemsOfText = (text: string, index: number): TemplateProblem[] => {
  const field = `parameters[${index}]`
  if (text.trim() === '') return [{ field, message: 'must not be empty' }]
  const problems: string[] = []
  if (Array.from(text).length > PARAMETER_MAX) problems.push(`must have at most ${PARAMETER_MAX} characters`)
  if (/[\n\r\u0085\u2028\u2029]/.test(text)) problems.push('must not contain a line break')
  if (/[\t\v\f]/.test(text)) problems.push('must not contain a tab')
  if (/ {5}/.test(text)) problems.push('must not contain more than four spaces in a row')
  return problems.map((message) => ({ field, message }))
}

/** Lengths are only known once every value is given. */
const problemsOfLength = (
  definition: TemplateDefinition,
  parameters: readonly string[],
): TemplateProblem[] => {
  const slots = slotsOf(definition)
  if (parameters.length !== slots.length) return []
  const problems: TemplateProblem[] = []
  const bodyLength = Array.from(renderBody(definition, parameters)).length
  if (definition.body.variables.length > 0 && bodyLength > HYDRATED_BODY_MAX)
    problems.push({
      field: 'parameters',
      message: `make the text ${bodyLength} characters long; the limit is ${HYDRATED_BODY_MAX}`,
    })
  for (const [index, slot] of slots.entries()) {
    const field = `parameters[${index}]`
    const value = parameters[index]!
    if (slot.at === 'header' && definition.header?.format === 'text') {
      const { text, variables } = definition.header
      if (Array.from(fill(text, variables, () => value)).length > HEADER_TEXT_MAX)
        problems.push({ field, message: `makes the header longer than ${HEADER_TEXT_MAX} characters` })
    }
    if (slot.at !== 'button') continue
    if (slot.button.kind === 'copyCode' && Array.from(value).length > COPY_CODE_MAX)
      problems.push({
        field,
        message: `must have at most ${COPY_CODE_MAX} characters (it is a code to copy)`,
      })
    if (slot.button.kind === 'url' && Array.from(slot.button.url + value).length > URL_MAX)
      problems.push({ field, message: `makes the button’s address longer than ${URL_MAX} characters` })
  }
  return problems
}

/**
 * The components of a send, according to the definition; none if it takes no values. The values must have passed
 * validateParameters.
 */
export const buildComponents = (
  definition: TemplateDefinition,
  { parameters, ...given }: TemplateValues,
): TemplateComponent[] => {
  const isNamed = definition.parameterFormat === 'named'
  const values = slotsOf(definition).map((slot, index) => ({ slot, text: parameters[index] ?? '' }))
  const textsAt = (at: 'header' | 'body') =>
    values.flatMap(({ slot, text }) =>
      slot.at === at
        ? [isNamed ? { type: 'text', parameter_name: slot.variable, text } : { type: 'text', text }]
        : [],
    )
  const media = headerParameter(definition.header, given)
  const header = media ? [media] : textsAt('header')
  const body = textsAt('body')
  return [
    ...(header.length > 0 ? [{ type: 'header' as const, parameters: header }] : []),
    ...(body.length > 0 ? [{ type: 'body' as const, parameters: body }] : []),
    ...definition.buttons.flatMap((button, index) => {
      const own = values.find(({ slot }) => slot.at === 'button' && slot.index === index)
      return buildButton(
        button,
        index,
        button.kind === 'oneTimeCode' ? (parameters[0] ?? '') : (own?.text ?? ''),
      )
    }),
  ]
}

/** The index is text, as in the provider's examples. */
const buildButton = (button: TemplateButton, index: number, text: string): TemplateComponent[] => {
  const component = (sub_type: string, parameter: JsonObject): TemplateComponent[] => [
    { type: 'button', sub_type, index: String(index), parameters: [parameter] },
  ]
  if (button.kind === 'url' || button.kind === 'oneTimeCode') return component('url', { type: 'text', text })
  if (button.kind === 'copyCode') return component('copy_code', { type: 'coupon_code', coupon_code: text })
  // The component is required; "unused" is the provider's default for the token.
  if (button.kind === 'flow') return component('flow', { type: 'action', action: { flow_token: 'unused' } })
  return []
}

/** The body as the customer will see it. A value that looks like a variable is not replaced. */
export const renderBody = ({ body }: TemplateDefinition, parameters: readonly string[]): string =>
  fill(body.text, body.variables, (index) => parameters[index] ?? '')
