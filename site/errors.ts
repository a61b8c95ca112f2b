// A page for each error code of the API.

import type { Operation } from '../sdk/generator/operations.ts'
import { ERRORS, type ErrorCode } from '../server/platform/errors.ts'
import type { Page } from './page.ts'
import { codesOf, type DocumentedOperation, slugOf } from './reference.ts'

type Documented = { operation: Operation; documented: DocumentedOperation }

/** What a status means for the caller, whatever the code. */
const ADVICE: Record<number, string> = {
  400: 'Fix the request before you send it again: the same request will fail again.',
  401: 'Check the token. The same request will fail again.',
  403: 'The token is valid, but it may not do this.',
  404: 'It does not exist in this workspace, or no longer does. Ids of other workspaces are not found either.',
  405: 'The path exists, with other methods. The `Allow` header lists them.',
  409: 'The request conflicts with the current state. Read it again, then decide.',
  410: 'It is gone for good. Start over.',
  413: 'Send less at once.',
  415: 'Change the `Content-Type` header.',
  422: 'Fix the request before you send it again.',
  429: 'Wait as many seconds as `Retry-After` says, then send the same request again. The SDK does that by itself.',
  431: 'Send shorter headers or a shorter URL.',
  500: 'Try again. If it keeps happening, report it with the `X-Request-Id` of the response.',
  503: 'Wait as many seconds as `Retry-After` says, then send the same request again. The SDK does that by itself.',
}

export const errorPages = (operations: readonly Documented[]): Page[] => {
  const users = new Map<string, Operation[]>()
  for (const { operation, documented } of operations)
    for (const code of codesOf(documented)) users.set(code, [...(users.get(code) ?? []), operation])
  const codes = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => users.has(code)).sort()
  return [indexOf(codes), ...codes.map((code) => errorPage(code, users.get(code)!, operations.length))]
}

const indexOf = (codes: ErrorCode[]): Page => ({
  path: 'errors',
  title: 'All errors',
  summary: 'Every error code of the API, with its status and what to do.',
  group: 'Errors',
  markdown: [
    '# Errors',
    'Every error has the same shape. Act on `code`; `message` is for people and may change. `details` lists every invalid field of a validation error, named as in your request.',
    '```json\n{\n  "error": {\n    "code": "VALIDATION_ERROR",\n    "message": "The request is invalid. See details.",\n    "details": [{ "field": "email", "message": "must be an email address" }]\n  }\n}\n```',
    'Include the `X-Request-Id` of the response when you report a problem.',
    '| Status | Code | Meaning |\n| --- | --- | --- |',
  ]
    .join('\n\n')
    .concat(
      '\n',
      codes
        .map((code) => `| ${ERRORS[code][0]} | [\`${code}\`](/docs/errors/${code}) | ${cell(code)} |`)
        .join('\n'),
    ),
})

const cell = (code: ErrorCode): string => escapeTag(ERRORS[code][1]).replaceAll('|', '\\|')

/** Markdown would read <this> as a tag. */
const escapeTag = (text: string): string => text.replaceAll('<', '\\<')

const errorPage = (code: ErrorCode, users: Operation[], total: number): Page => {
  const [status, message] = ERRORS[code]
  const list =
    users.length > total / 2
      ? 'Most operations can return it.'
      : users.map(({ id, summary }) => `- [${summary}](/docs/api/${slugOf(id)})`).join('\n')
  return {
    path: `errors/${code}`,
    title: code,
    summary: message,
    group: 'Errors',
    markdown: [
      `# ${code}`,
      `Status ${status}`,
      escapeTag(message),
      '## What to do',
      ADVICE[status] ?? '',
      '## Where it occurs',
      list,
    ].join('\n\n'),
  }
}
