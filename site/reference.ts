// A page for each operation of the API.
import { type Operation, type Schema, wordsOf } from '../sdk/generator/operations.ts'
import { fieldList, type Schemas } from './fields.ts'
import type { Page } from './page.ts'
import {
  type Call,
  curlSample,
  pythonClient,
  pythonSample,
  typescriptClient,
  typescriptSample,
} from './samples.ts'

type Content = {
  content?: Record<
    string,
    { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }
  >
}

export type DocumentedOperation = {
  operationId: string
  tags: string[]
  parameters?: {
    name: string
    in: string
    example?: unknown
    required?: boolean
    schema: Schema
    description?: string
  }[]
  requestBody?: Content
  responses: Record<string, Content & { $ref?: string; 'x-error-codes'?: string[] }>
}

export const slugOf = (operationId: string): string => wordsOf(operationId).join('-')

export const operationPage = (
  operation: Operation,
  documented: DocumentedOperation,
  schemas: Schemas,
): Page => {
  const { id, method, path, summary, description } = operation
  const codes = codesOf(documented)
  return {
    path: `api/${slugOf(id)}`,
    title: summary,
    summary: firstSentence(description),
    group: 'API reference',
    method,
    markdown: [
      `# ${summary}`,
      `\`${method}\` \`/api/v1${path}\``,
      description,
      ...section('Path', parameterList(documented, 'path', schemas)),
      ...section('Query', parameterList(documented, 'query', schemas)),
      ...section('Body', operation.body ? fieldList(operation.body.schema, schemas) : ''),
      ...section('Response', fieldList(operation.response, schemas)),
      ...section('Errors', codes.map((code) => `- [\`${code}\`](/docs/errors/${code})`).join('\n')),
    ].join('\n\n'),
    aside: samplesOf(operation, documented),
  }
}

const section = (title: string, text: string): string[] => (text ? [`## ${title}`, text] : [])

const firstSentence = (text: string): string => /^[^\n]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text

const parameterList = (documented: DocumentedOperation, place: string, schemas: Schemas): string => {
  const found = (documented.parameters ?? []).filter((one) => one.in === place)
  return fieldList(
    {
      properties: Object.fromEntries(
        found.map(({ name, schema, description }) => [name, { description, ...schema } as Schema]),
      ),
      required: found.filter(({ required }) => required).map(({ name }) => name),
    },
    schemas,
  )
}

/** Every code that the operation can return, the common ones last. */
export const codesOf = ({ responses }: DocumentedOperation): string[] =>
  Object.values(responses).flatMap(
    ({ $ref, 'x-error-codes': codes }) => codes ?? $ref?.split('/').at(-1) ?? [],
  )

const samplesOf = (operation: Operation, documented: DocumentedOperation): string => {
  const call = exampleCall(documented)
  const response = documented.responses['200']?.content?.['application/json']?.example
  return [
    fence('bash', curlSample(operation, call)),
    ...(operation.isStream
      ? []
      : [
          fence('ts', `${typescriptClient()}\n\n${typescriptSample(operation, call)}`),
          fence('python', `${pythonClient()}\n\n${pythonSample(operation, call)}`),
        ]),
    ...(response === undefined ? [] : ['**Response**', fence('json', JSON.stringify(response, null, 2))]),
  ].join('\n\n')
}

const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``

/** The call that the document shows as its example. */
const exampleCall = ({ parameters = [], requestBody }: DocumentedOperation): Call => {
  const of = (place: string) =>
    Object.fromEntries(
      parameters
        .filter((one) => one.in === place && one.example !== undefined && (place === 'path' || one.required))
        .map(({ name, example }) => [name, example]),
    )
  const { example, examples = {} } = Object.values(requestBody?.content ?? {})[0] ?? {}
  const body = example ?? Object.values(examples)[0]?.value
  return {
    ids: of('path') as Call['ids'],
    query: of('query') as Call['query'],
    ...(body !== undefined && { body }),
  }
}
