import type { McpTool } from '../../state/mcp.ts'
import { Badge } from '../../ui/badge.tsx'
import { t } from '../../words/t.ts'

const STATES = {
  on: [t`On`, 'ok'],
  off: [t`Off`, 'plain'],
  changed: [t`Changed`, 'warn'],
  gone: [t`Removed`, 'warn'],
} as const

/** Whether a tool of an MCP server is called. */
export const ToolState = ({ state }: Pick<McpTool, 'state'>) => {
  const [label, tone] = STATES[state]
  return <Badge tone={tone}>{label}</Badge>
}
