// What the server knows of MCP servers that an admin connects. The protocol is in session.ts, which is loaded on first use.

/** The address has the token: it is sent nowhere else. */
export type McpAccount = { url: string; token: string | null }

/** `code` for programs, `message` for people. Neither quotes the server. */
export type McpProblem = { code: string; message: string }

export type ToolParameter = {
  name: string
  type: 'string' | 'number' | 'boolean' | 'enum'
  isRequired: boolean
  maxLength?: number
  options?: string[]
}

/** A tool as its server describes it, and what of it we can use. */
export type ServerTool = {
  name: string
  /** Visible characters only. */
  title: string | null
  description: string
  /** Of its name, title, description and schema, so that whatever changes is noticed. */
  hash: string
  parameters: ToolParameter[]
  /** Parameters that aren't a single value, which nobody can give. */
  omitted: string[]
  /** Why it can't be used at all, in words for people. */
  unusable: string | null
}

/** Before which revision a server has sessions, or after. */
export type Era = 'modern' | 'legacy'

export type ListedTools =
  | {
      is: 'listed'
      tools: ServerTool[]
      /** How many were left out: those with impossible names, and those beyond the limit, as far as they were read. */
      skipped: number
      era: Era
    }
  | { is: 'failed'; problem: McpProblem }

export type CalledTool =
  /** `isError`: the tool says that it failed. */
  | { is: 'answered'; isError: boolean; text: string }
  /** It isn't what was approved any more, and wasn't called. Null: it is gone. */
  | { is: 'changed'; tool: ServerTool | null }
  /** The server refused the call. */
  | { is: 'refused'; problem: McpProblem; status: number | null }
  /** `isSent`: the tool may have run. */
  | { is: 'unanswered'; problem: McpProblem; isSent: boolean }

export type ToolCall = {
  name: string
  hash: string
  arguments: Readonly<Record<string, string | number | boolean>>
  /** Null: not known. */
  era: Era | null
}

export type McpClient = {
  /** Never throws for what a server does. Takes at most `timeoutMs`. */
  listTools: (account: McpAccount, timeoutMs: number) => Promise<ListedTools>
  /** The same. The tool is compared with the approved one right before. */
  callTool: (account: McpAccount, call: ToolCall, timeoutMs: number) => Promise<CalledTool>
}
