import type { McpTool } from '../../state/mcp.ts'
import { Badge } from '../../ui/badge.tsx'

const STATES = {
  on: ['On', 'ok'],
  off: ['Off', 'plain'],
  changed: ['Changed', 'warn'],
  gone: ['Removed', 'warn'],
} as const

/** Whether a tool of an MCP server is called. */
export const ToolState = ({ state }: Pick<McpTool, 'state'>) => {
  const [label, tone] = STATES[state]
  return <Badge tone={tone}>{label}</Badge>
}
