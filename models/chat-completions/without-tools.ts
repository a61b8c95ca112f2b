// For models that can't call tools: they are asked to write a call as JSON.
import type { CompletionRequest, JsonObject, ToolResult } from '../contract.ts'
import { offered, parametersOf } from '../protocol/wire.ts'

export const describeTools = (request: CompletionRequest): string =>
  [
    'Answer with one JSON object and nothing else: {"tool": "<name>", "arguments": {…}}. These are the tools, with the JSON Schemas of their arguments:',
    ...offered(request).map(
      ({ name, description, parameters }) =>
        `${name}: ${description}\n${JSON.stringify(parametersOf(parameters))}`,
    ),
  ].join('\n\n')

export const schemaOfCall = (request: CompletionRequest): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  required: ['tool', 'arguments'],
  properties: {
    tool: { enum: offered(request).map(({ name }) => name) },
    arguments: { anyOf: offered(request).map(({ parameters }) => parametersOf(parameters)) },
  },
})

/** As words of the user: there is no other role for them. */
export const renderTextResults = (results: readonly ToolResult[]): unknown[] =>
  results.length === 0
    ? []
    : [
        {
          role: 'user',
          content: results
            .map(({ text, isError }) => `${isError ? 'The tool failed' : 'Result of the tool'}:\n${text}`)
            .join('\n\n'),
        },
      ]
