// What a tool is, and what it may answer.
import Type, { type Static, type TObject, type TProperties } from 'typebox'
import { Check } from 'typebox/value'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Scope } from '../../platform/db/tables.ts'

export type Answer =
  /** `data` matches the tool's output schema; `text` says it in a line. `settle` follows the commit. */
  | { text: string; data: Record<string, unknown>; settle?: (ctx: Ctx) => Promise<Answer> }
  /** Says what to do next. What was written meanwhile is kept. */
  | { refusal: string }

export type Tool = {
  name: string
  /** One of them is enough; none: any token. */
  scopes: readonly Scope[]
  /** A token with full access has to name the scope: see docs/decisions/0055-mcp-server.md. */
  isNamedOnly?: true
  hints: {
    readOnlyHint: boolean
    destructiveHint?: boolean
    idempotentHint?: boolean
    openWorldHint: boolean
  }
  description: string
  input: TObject
  output: TObject
  run: (ctx: Ctx, given: Record<string, unknown>) => Promise<Answer>
  /** What the person is asked before it is done, if their client can ask. Null: it needs no question. */
  question?: (ctx: Ctx, given: Record<string, unknown>) => Promise<string | null>
  /** Of a write: what it was done to, for the audit log. */
  target?: { type: string; of: string }
}

type Typed<P extends TProperties> = Omit<Tool, 'input' | 'run' | 'question'> & {
  input: TObject<P>
  run: (ctx: Ctx, given: Static<TObject<P>>) => Promise<Answer>
  question?: (ctx: Ctx, given: Static<TObject<P>>) => Promise<string | null>
}

/** A tool whose functions know the type of its input. */
export const defineTool = <P extends TProperties>({ run, question, ...tool }: Typed<P>): Tool => {
  const checked =
    <T>(work: (ctx: Ctx, given: Static<TObject<P>>) => T) =>
    (ctx: Ctx, input: Record<string, unknown>): T => {
      // The library refuses anything else before.
      if (!Check(tool.input, input)) throw new Error(`${tool.name} was called with what its schema refuses`)
      return work(ctx, input)
    }
  return { ...tool, run: checked(run), ...(question && { question: checked(question) }) }
}

/** Parameters; one that the schema doesn't name is refused. */
export const given = <P extends TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false })

export const READS = { readOnlyHint: true, openWorldHint: false } as const
export const WRITES = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const

export const ID_LENGTH_MAX = 64
export const NAME_LENGTH_MAX = 160
const CURSOR_LENGTH_MAX = 1_000

export const IdGiven = Type.String({ minLength: 1, maxLength: ID_LENGTH_MAX })
export const CursorGiven = Type.Optional(Type.String({ minLength: 1, maxLength: CURSOR_LENGTH_MAX }))
export const limitGiven = (maximum: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum, default: maximum }))

/** Rows of a list, and where the next begin. */
export const listOf = (name: string) =>
  Type.Object({
    [name]: Type.Array(Type.Object({}, { additionalProperties: true })),
    nextCursor: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    isTruncated: Type.Boolean(),
    customerTextIs: Type.Optional(Type.String()),
  })
