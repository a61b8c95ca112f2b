// MCP servers and their tools. Only admins decide which programs of others are called, and with what.
import { ToolApproval, ToolNamed } from '../domain/actions/schema.ts'
import { removeMcpServer, switchToolOff, switchToolOn } from '../domain/actions/switch-tool.ts'
import {
  connectMcpServer,
  getMcpServer,
  listMcpServers,
  recheckMcpServer,
  updateMcpServer,
} from '../domain/mcp-servers/save-server.ts'
import {
  McpServerAnswer,
  McpServerChange,
  McpServerList,
  McpServerParams,
  McpServerRemoved,
  NewMcpServer,
} from '../domain/mcp-servers/schema.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

const CONFIG = { permission: 'admin' } as const
const ANSWER = { 200: McpServerAnswer, ...errors('NOT_FOUND') }

export const registerMcpServersConsoleRoutes = (app: App): void => {
  registerServers(app)
  registerTools(app)
}

const registerServers = (app: App): void => {
  app.get(
    '/mcp-servers',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleListMcpServers',
        summary: 'List MCP servers',
        response: { 200: McpServerList },
      },
    },
    async ({ ctx }) => ({ servers: await listMcpServers(ctx) }),
  )

  app.post(
    '/mcp-servers',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleConnectMcpServer',
        summary: 'Connect an MCP server',
        description: 'Copies its tools, all of them switched off. Nothing of a customer is sent.',
        body: NewMcpServer,
        response: { 200: McpServerAnswer },
      },
    },
    ({ ctx, body }) => connectMcpServer(ctx, body),
  )

  app.get(
    '/mcp-servers/:serverId',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleGetMcpServer',
        summary: 'Get an MCP server and its tools',
        params: McpServerParams,
        response: ANSWER,
      },
    },
    ({ ctx, params }) => getMcpServer(ctx, params.serverId),
  )

  app.put(
    '/mcp-servers/:serverId',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleUpdateMcpServer',
        summary: 'Change the name or token of an MCP server',
        description: 'A token that is left out is kept; null removes it. The address can’t be changed.',
        params: McpServerParams,
        body: McpServerChange,
        response: ANSWER,
      },
    },
    ({ ctx, params, body }) => updateMcpServer(ctx, params.serverId, body),
  )

  app.post(
    '/mcp-servers/:serverId/check',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleCheckMcpServer',
        summary: 'Copy an MCP server’s tools again',
        description: 'Tools that changed are switched off.',
        params: McpServerParams,
        response: ANSWER,
      },
    },
    ({ ctx, params }) => recheckMcpServer(ctx, params.serverId),
  )

  app.delete(
    '/mcp-servers/:serverId',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleRemoveMcpServer',
        summary: 'Disconnect an MCP server',
        params: McpServerParams,
        response: { 200: McpServerRemoved, ...errors('NOT_FOUND') },
      },
    },
    ({ ctx, params }) => removeMcpServer(ctx, params.serverId),
  )
}

const registerTools = (app: App): void => {
  app.post(
    '/mcp-servers/:serverId/switch-on',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleSwitchToolOn',
        summary: 'Switch a tool on, or change what it may do',
        description: 'Refused if it isn’t what was looked at.',
        params: McpServerParams,
        body: ToolApproval,
        response: ANSWER,
      },
    },
    ({ ctx, params, body }) => switchToolOn(ctx, params.serverId, body),
  )

  app.post(
    '/mcp-servers/:serverId/switch-off',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleSwitchToolOff',
        summary: 'Switch a tool off',
        params: McpServerParams,
        body: ToolNamed,
        response: ANSWER,
      },
    },
    ({ ctx, params, body }) => switchToolOff(ctx, params.serverId, body.tool),
  )
}
