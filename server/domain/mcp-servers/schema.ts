import Type, { type Static } from 'typebox'
import { MCP_TOOL_STATES, PARAMETER_TYPES } from '../../platform/db/tables.ts'
import { Id, Moment, Name, nullable } from '../schema.ts'

export const SERVER_NAME_MAX = 40
export const SERVERS_MAX = 10
export const SERVER_URL_MAX = 500
export const TOKEN_MAX = 4_000

/** Printable ASCII, so that it can't end the line of its header. */
const Token = Type.String({ minLength: 1, maxLength: TOKEN_MAX, pattern: '^[\\x21-\\x7e]+$' })

const OwnName = Name(SERVER_NAME_MAX, { description: 'Unique, case-insensitive.', examples: ['Acme Shop'] })

const Problem = nullable(
  Type.Object({ code: Type.String(), message: Type.String({ description: 'For people.' }) }),
)

const server = {
  id: Id,
  name: Type.String(),
  url: Type.String(),
  token: Type.Enum(['none', 'stored', 'unreadable'], { description: 'It is encrypted and never returned.' }),
  skipped: Type.Integer({ description: 'Tools that were left out when they were copied.' }),
  problem: Problem,
  checkedAt: nullable(Moment),
}

export const McpServer = Type.Object(server, { title: 'McpServer' })
export type McpServer = Static<typeof McpServer>

export const McpServerSummary = Type.Object(
  {
    ...server,
    toolCount: Type.Integer(),
    onCount: Type.Integer({ description: 'Tools that are switched on.' }),
    changedCount: Type.Integer({ description: 'Tools that were switched off because they changed.' }),
  },
  { title: 'McpServerSummary' },
)
export type McpServerSummary = Static<typeof McpServerSummary>

export const McpTool = Type.Object(
  {
    name: Type.String(),
    title: nullable(Type.String()),
    description: Type.String({ description: 'Of the server.' }),
    ownDescription: nullable(Type.String({ description: 'What the AI agent reads instead.' })),
    hash: Type.String({ description: 'Of its name, title, description and schema.' }),
    parameters: Type.Array(
      Type.Object({
        name: Type.String(),
        type: Type.Enum([...PARAMETER_TYPES]),
        isRequired: Type.Boolean(),
        maxLength: Type.Optional(Type.Integer()),
        options: Type.Optional(Type.Array(Type.String())),
      }),
    ),
    omitted: Type.Array(Type.String(), {
      description: 'Optional parameters that aren’t single values, and so are never given.',
    }),
    unusable: nullable(Type.String({ description: 'Why it can’t be switched on, for people.' })),
    state: Type.Enum([...MCP_TOOL_STATES], {
      description:
        'changed: it was on and isn’t what was approved any more. gone: the server doesn’t have it now.',
    }),
    actionId: nullable(Id),
  },
  { title: 'McpTool' },
)
export type McpTool = Static<typeof McpTool>

export const McpServerList = Type.Object(
  { servers: Type.Array(McpServerSummary, { description: 'Ordered by name.' }) },
  { title: 'McpServerList' },
)

export const McpServerAnswer = Type.Object(
  { server: McpServer, tools: Type.Array(McpTool, { description: 'Ordered by name.' }) },
  { title: 'McpServerAnswer' },
)
export type McpServerAnswer = Static<typeof McpServerAnswer>

export const NewMcpServer = Type.Object(
  {
    name: OwnName,
    url: Type.String({ minLength: 1, maxLength: SERVER_URL_MAX, examples: ['https://mcp.example.com/mcp'] }),
    token: Type.Optional(Token),
  },
  { title: 'NewMcpServer' },
)
export type NewMcpServer = Static<typeof NewMcpServer>

export const McpServerChange = Type.Object(
  {
    name: OwnName,
    token: Type.Optional(nullable(Token)),
  },
  { title: 'McpServerChange' },
)
export type McpServerChange = Static<typeof McpServerChange>

export const McpServerParams = Type.Object({ serverId: Id })
export const McpServerRemoved = Type.Object({ success: Type.Literal(true) })
