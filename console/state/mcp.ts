// MCP servers and their tools, as the console reads and changes them.
import type { ToolApproval } from '../../server/domain/actions/schema.ts'
import type {
  McpServer,
  McpServerAnswer,
  McpServerChange,
  McpServerSummary,
  McpTool,
  NewMcpServer,
} from '../../server/domain/mcp-servers/schema.ts'

export type {
  McpServer,
  McpServerAnswer,
  McpServerChange,
  McpServerSummary,
  McpTool,
  NewMcpServer,
  ToolApproval,
}
